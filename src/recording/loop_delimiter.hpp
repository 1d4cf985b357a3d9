#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "recording/host_pause.hpp"
#include "recording/watched_launches.hpp"

namespace kjoule {

/// The launch that begins each iteration of a loop whose iterations differ in length.
struct LoopDelimiter {
  /// For each iteration, the index of this launch in find_delimiter()'s `launches`.
  std::vector<size_t> places;
  HostPause pause;  ///< before this launch
};

/// Returns the delimiter of a loop: of the launches that occur exactly once in each iteration, the launch
/// with the greatest pause before it. Returns nothing if no launch occurs exactly once in each iteration.
/// `begins` contains the index of each iteration's first launch, and as last element the index of the launch
/// after the last iteration.
std::optional<LoopDelimiter> find_delimiter(std::span<const WatchedLaunch> launches,
                                            const std::vector<uint64_t>& begins);

}  // namespace kjoule
