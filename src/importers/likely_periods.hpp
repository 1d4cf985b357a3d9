#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kjoule {

/// Returns the distances, in launches, at which sequences of launches recur most often, in ascending order.
/// Launches with equal `keys` are equal. Sequences of several lengths are examined: layers repeat more often
/// than iterations, so only sequences that are longer than all consecutive equal layers show the iterations.
/// Takes time linear in the number of launches.
std::vector<size_t> likely_periods(const std::vector<uint32_t>& keys);

}  // namespace kjoule
