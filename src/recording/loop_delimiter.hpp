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
  std::vector<size_t> places;  ///< indexes of these launches, one in each iteration
  int64_t pause_ns = 0;        ///< median pause of the host before them
};

/// Returns the delimiter of the loop whose iterations begin at these launches; the last element of `begins`
/// is the launch after the last iteration. Of the launches that come exactly once in each iteration, it is
/// the one before which the host pauses longest. Returns nothing if there is none.
std::optional<LoopDelimiter> find_delimiter(std::span<const WatchedLaunch> launches,
                                            const std::vector<uint64_t>& begins);

}  // namespace kjoule
