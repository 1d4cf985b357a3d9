#pragma once
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace kjoule {

/// An even draw from 0..bound-1, the same on every platform, which the standard's distributions are not.
uint64_t draw_below(std::mt19937_64& words, uint64_t bound);

/// Returns the last position of the endless iteration up to `position` that a stamp may follow; where there
/// is none, the first one of all; nothing where no launch may be stamped. `may_stamp` is by launch: position
/// p is launch p % may_stamp.size().
std::optional<uint32_t> last_stamp_place(uint32_t position, const std::vector<bool>& may_stamp);

/// Positions of the endless iteration that stamps follow in one graph, rising, from `first` to `last`. Their
/// distances are drawn independently and evenly from 1..largest_gap. A position whose launch may not be
/// stamped is moved on to the next one that may; `last` is always among them. Throws Error when the arguments
/// contradict each other.
///
/// Distances that went through 1..largest_gap in turn would meet at the same positions in every graph: the
/// stretches on either side of such a position could not be compared, and sums of launch times came out 1 to
/// 4 % low. Only independent distances let every stretch begin and end everywhere.
std::vector<uint32_t> draw_stamp_places(uint32_t first, uint32_t last, uint32_t largest_gap,
                                        const std::vector<bool>& may_stamp, uint64_t seed);

}  // namespace kjoule
