#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "recording/watched_launches.hpp"

namespace kjoule {

/// The launch that begins each iteration of a loop whose iterations differ in length.
struct LoopDelimiter {
  /// For each iteration, the index of this launch in find_delimiter()'s `launches`.
  std::vector<size_t> places;
  int64_t pause_ns = 0;  ///< median time that the host pauses before this launch
};

/// Returns the delimiter of a loop: of the launches that occur exactly once in each iteration, the launch
/// before which the host pauses longest. Returns nothing if no launch occurs exactly once in each iteration.
/// `begins` contains the index of each iteration's first launch, and as last element the index of the launch
/// after the last iteration.
std::optional<LoopDelimiter> find_delimiter(std::span<const WatchedLaunch> launches,
                                            const std::vector<uint64_t>& begins);

}  // namespace kjoule
