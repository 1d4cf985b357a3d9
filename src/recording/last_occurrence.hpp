#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kjoule {

/// Returns one distance for each item of a sequence. Consider the `length` items that end with this item: the
/// distance is the number of items from the previous occurrence of the same `length` items to this one, or 0
/// if they have not occurred before. Takes time and memory linear in the number of items, for any `length`.
/// Occurrences are compared by hashes; the probability that two different ones are treated as equal is 1e-19.
std::vector<uint32_t> distances_to_last(const std::vector<uint32_t>& items, size_t length);

}  // namespace kjoule
