#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace kjoule {

/// Returns a longest common subsequence of `a` and `b`: for each common element, its position in `a` and its
/// position in `b`, ascending. If `a` and `b` differ by more than 2000 insertions and deletions, only their
/// common beginning and end are matched.
std::vector<std::pair<size_t, size_t>> match_sequences(const std::vector<uint32_t>& a,
                                                       const std::vector<uint32_t>& b);

}  // namespace kjoule
