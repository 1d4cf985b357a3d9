#include "cuda/calls/dependencies.hpp"

#include <algorithm>

namespace kjoule::cuda {

Dependencies::Launches Dependencies::before(const void* stream, StreamKind kind) const {
  Launches launches;
  const auto known = streams_.find(stream);
  if (known != streams_.end()) launches = known->second.last;
  for (const auto& [other, awaited] : known == streams_.end() ? awaited_ : known->second.awaited)
    launches.insert(awaited.begin(), awaited.end());
  for (const auto& [other, state] : streams_) {
    const bool joined = (kind == StreamKind::legacy && state.kind == StreamKind::blocking) ||
                        (kind == StreamKind::blocking && state.kind == StreamKind::legacy);
    if (joined) launches.insert(state.last.begin(), state.last.end());
  }
  return launches;
}

std::vector<uint32_t> Dependencies::add_launch(uint32_t launch, const void* stream, StreamKind kind) {
  const Launches waits_for = before(stream, kind);
  streams_[stream] = {kind, {launch}, {}};
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
  if (!within.empty()) streams_[stream] = {kind, std::move(leaves), {}};
  return after;
}

Dependencies::Launches& Dependencies::last_of(const void* stream, StreamKind kind) {
  const auto [place, is_new] = streams_.try_emplace(stream);
  if (is_new) place->second.awaited = awaited_;
  place->second.kind = kind;
  return place->second.last;
}

void Dependencies::record_event(const void* event, const void* stream, StreamKind kind) {
  const Launches launches = before(stream, kind);
  events_[event] = {stream, launches};
  if (kind == StreamKind::legacy) last_of(stream, kind).insert(launches.begin(), launches.end());
}

void Dependencies::wait_for_event(const void* stream, StreamKind kind, const void* event) {
  Launches launches;
  if (const auto known = events_.find(event); known != events_.end()) launches = known->second.launches;
  if (kind == StreamKind::legacy) launches.merge(before(stream, kind));
  if (!launches.empty()) last_of(stream, kind).insert(launches.begin(), launches.end());
}

void Dependencies::host_waits_for_event(const void* event) {
  const auto known = events_.find(event);
  if (known != events_.end()) host_waits_for(known->second.stream, known->second.launches);
}

void Dependencies::host_waits_for_stream(const void* stream, StreamKind kind) {
  host_waits_for(stream, before(stream, kind));
}

void Dependencies::host_waits_for_all() {
  for (const auto& [stream, state] : streams_) host_waits_for(stream, state.last);
}

void Dependencies::host_waits_for(const void* stream, const Launches& launches) {
  if (launches.empty()) return;
  const auto add = [&](Awaited& awaited) {
    Launches& known = awaited[stream];
    // An event may have been recorded before the work of the stream that the host has already awaited.
    const bool is_later = known.empty() || *known.rbegin() < *launches.rbegin() ||
                          (*known.rbegin() == *launches.rbegin() && known.size() < launches.size());
    if (is_later) known = launches;
  };
  add(awaited_);
  for (auto& [other, state] : streams_)
    if (other != stream) add(state.awaited);  // the stream's own work is in order in any case
}

bool may_overlap(const std::vector<std::vector<uint32_t>>& after) {
  for (uint32_t i = 1; i < after.size(); ++i)
    if (std::find(after[i].begin(), after[i].end(), i - 1) == after[i].end()) return true;
  return false;
}

}  // namespace kjoule::cuda
