#pragma once
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace kjoule {

/// Returns a uniformly distributed random number from 0 to bound - 1. The result is the same on every
/// platform, which the standard library's distributions do not guarantee.
uint64_t draw_below(std::mt19937_64& words, uint64_t bound);

/// Returns the last position up to `position` after which a stamp is allowed. If there is no such position,
/// returns the first allowed position after `position`. Returns nothing if no position is allowed. Positions
/// count the launches of an endlessly repeated iteration: position p is launch p % may_stamp.size().
/// `may_stamp` states for each launch whether a stamp may follow it.
std::optional<uint32_t> last_stamp_place(uint32_t position, const std::vector<bool>& may_stamp);

/// Returns the positions in one graph that are followed by stamps, in ascending order, from `first` to
/// `last`. The distances between them are drawn independently and uniformly from 1 to `largest_gap`. A
/// position after which no stamp is allowed is moved to the next allowed position. `last` is always included.
/// Throws Error if the arguments are inconsistent.
///
/// The distances must be independent. If they were 1, 2, ... up to `largest_gap` in turn, stamps would be at
/// the same positions in every graph, and the times on both sides of such a position could not be separated.
/// With such distances, sums of launch times were 1 to 4 % too low.
std::vector<uint32_t> draw_stamp_places(uint32_t first, uint32_t last, uint32_t largest_gap,
                                        const std::vector<bool>& may_stamp, uint64_t seed);

}  // namespace kjoule
