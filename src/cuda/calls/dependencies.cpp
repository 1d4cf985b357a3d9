#include "cuda/calls/dependencies.hpp"

#include <algorithm>

namespace kjoule::cuda {

Dependencies::Launches Dependencies::before(const void* stream, StreamKind kind) const {
  Launches launches;
  const auto known = streams_.find(stream);
  if (known != streams_.end()) launches = known->second.last;
  for (const auto& [other, state] : streams_) {
    const bool joined = (kind == StreamKind::legacy && state.kind == StreamKind::blocking) ||
                        (kind == StreamKind::blocking && state.kind == StreamKind::legacy);
    if (joined) launches.insert(state.last.begin(), state.last.end());
  }
  return launches;
}

std::vector<uint32_t> Dependencies::add_launch(uint32_t launch, const void* stream, StreamKind kind) {
  const Launches waits_for = before(stream, kind);
  streams_[stream] = {kind, {launch}};
  return {waits_for.begin(), waits_for.end()};
}

std::vector<std::vector<uint32_t>> Dependencies::add_graph(uint32_t first,
                                                           const std::vector<std::vector<uint32_t>>& within,
                                                           const void* stream, StreamKind kind) {
  const Launches roots_wait_for = before(stream, kind);
  std::vector<std::vector<uint32_t>> after;
  Launches leaves;
  for (uint32_t i = 0; i < within.size(); ++i) {
    leaves.insert(first + i);
    after.emplace_back();
    for (const uint32_t node : within[i]) {
      after.back().push_back(first + node);
      leaves.erase(first + node);
    }
    if (within[i].empty()) after.back().assign(roots_wait_for.begin(), roots_wait_for.end());
  }
  if (!within.empty()) streams_[stream] = {kind, std::move(leaves)};
  return after;
}

void Dependencies::record_event(const void* event, const void* stream) {
  const auto known = streams_.find(stream);
  events_[event] = known == streams_.end() ? Launches{} : known->second.last;
}

void Dependencies::wait_for_event(const void* stream, const void* event) {
  const auto known = events_.find(event);
  if (known == events_.end()) return;
  streams_[stream].last.insert(known->second.begin(), known->second.end());
}

bool may_overlap(const std::vector<std::vector<uint32_t>>& after) {
  for (uint32_t i = 1; i < after.size(); ++i)
    if (std::find(after[i].begin(), after[i].end(), i - 1) == after[i].end()) return true;
  return false;
}

}  // namespace kjoule::cuda
