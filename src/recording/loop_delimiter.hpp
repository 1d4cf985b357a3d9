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
  std::vector<size_t> places;  ///< its index in each iteration, among all launches
  int64_t pause_ns = 0;        ///< median pause of the host before it
};

/// Returns the delimiter of a loop: of the launches that occur exactly once in each iteration, the one before
/// which the host pauses longest. Returns nothing if no launch does. `begins` contains the index of each
/// iteration's first launch, and then that of the launch after the last iteration.
std::optional<LoopDelimiter> find_delimiter(std::span<const WatchedLaunch> launches,
                                            const std::vector<uint64_t>& begins);

}  // namespace kjoule
