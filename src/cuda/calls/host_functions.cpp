#include "cuda/calls/host_functions.hpp"

#include "base/clock.hpp"

namespace kjoule::cuda {

StreamCall HostFunctions::begin(CUstream stream) {
  auto span = std::make_shared<Span>();
  spans_.push_back(span);
  begun_[std::this_thread::get_id()] = {stream, span};
  return {stream, [span] { span->begin_ns = SteadyClock().now_ns(); }};
}

std::optional<StreamCall> HostFunctions::end() {
  const auto found = begun_.find(std::this_thread::get_id());
  if (found == begun_.end()) return {};
  const Begun begun = found->second;
  begun_.erase(found);
  return StreamCall{begun.stream, [span = begun.span] { span->end_ns = SteadyClock().now_ns(); }};
}

std::optional<double> HostFunctions::seconds() const {
  double seconds = 0;
  for (const auto& span : spans_) {
    if (span->begin_ns == 0 || span->end_ns == 0) return {};
    seconds += static_cast<double>(span->end_ns - span->begin_ns) * 1e-9;
  }
  return seconds;
}

}  // namespace kjoule::cuda
