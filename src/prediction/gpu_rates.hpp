#pragma once

namespace kjoule {

/// Peak rates of a GPU according to its data sheet, for one precision.
struct GpuRates {
  double flops_per_s = 0;
  double bytes_per_s = 0;        ///< of the memory
  double cache_bytes = 0;        ///< size of the cache, whose bytes need not come from memory
  double bytes_per_element = 2;  ///< of the precision
};

}  // namespace kjoule
