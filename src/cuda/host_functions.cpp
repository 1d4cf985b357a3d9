#include "cuda/host_functions.hpp"

#include "base/clock.hpp"
#include "cuda/call_in_stream.hpp"

namespace kjoule::cuda {

void HostFunctions::begin(CUstream stream) {
  auto span = std::make_shared<Span>();
  call_in_stream(stream, [span] { span->begin_ns = SteadyClock().now_ns(); });
  spans_.push_back(span);
  begun_[stream] = std::move(span);
}

void HostFunctions::end(CUstream stream) {
  const auto begun = begun_.find(stream);
  if (begun == begun_.end()) return;  // recording began within the call
  call_in_stream(stream, [span = begun->second] { span->end_ns = SteadyClock().now_ns(); });
  begun_.erase(begun);
}

double HostFunctions::seconds() const {
  double seconds = 0;
  for (const auto& span : spans_)
    if (span->end_ns != 0) seconds += static_cast<double>(span->end_ns - span->begin_ns) * 1e-9;
  return seconds;
}

}  // namespace kjoule::cuda
