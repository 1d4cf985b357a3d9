#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "recording/watched_launches.hpp"

namespace kjoule {

/// The pause of a program's host before a launch that it repeats. The greatest of several pauses is the
/// longest one in which the host waits for the device, or the longest of all if the host never waits.
struct HostPause {
  bool is_wait = false;  ///< whether the host waits for the device in most repetitions
  int64_t ns = 0;        ///< median time since the previous launch, in ns
  auto operator<=>(const HostPause&) const = default;
};

/// Returns the pause before a launch, whose repetitions have these indices in `launches`. The first launch of
/// all has no pause before it and does not count.
HostPause find_pause(std::span<const WatchedLaunch> launches, const std::vector<size_t>& places);

}  // namespace kjoule
