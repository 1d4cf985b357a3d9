#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kjoule {

/// Returns the distances at which sequences of launches occur again most often, in ascending order. `keys`
/// identify the launches. Sequences of several lengths are examined, because layers repeat more often than
/// iterations, and only sequences that are longer than all equal layers in a row distinguish the two. Takes
/// time linear in the number of launches.
std::vector<size_t> likely_periods(const std::vector<uint32_t>& keys);

}  // namespace kjoule
