#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kjoule {

/// Returns, by item of a sequence, the distance to the last occurrence of the `length` items that end there;
/// 0 if they have not occurred before. Takes time and memory linear in the number of items, whatever the
/// length. Sequences are compared by hashes: two that differ are taken for equal with a probability of 1e-19
/// a pair.
std::vector<uint32_t> distances_to_last(const std::vector<uint32_t>& items, size_t length);

}  // namespace kjoule
