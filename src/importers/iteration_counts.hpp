#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace kjoule {

/// A launch of a kernel, given by its index, and the iteration that it belongs to (no value: none).
struct PlacedLaunch {
  uint32_t kernel = 0;
  std::optional<uint32_t> iteration;
};

/// The counted iterations, and the launches of each kernel in them.
struct IterationCounts {
  struct OfKernel {
    uint64_t launches = 0, fewest = 0, most = 0;
  };
  uint32_t warm_up = 0;  ///< the first warm_up iterations are not counted
  uint32_t number = 0;   ///< counted iterations
  std::vector<OfKernel> kernels;

  bool counts(const PlacedLaunch& launch) const { return launch.iteration && *launch.iteration >= warm_up; }
};

/// Renumbers the iterations that contain launches, from 0 without gaps. Returns their number.
uint32_t drop_empty(std::vector<PlacedLaunch>& launches);

/// Counts launches and excludes warm-up iterations. The warm-up precedes the first iteration with the most
/// frequent content; it ends before an iteration whose content occurs again later. If no two iterations have
/// the same content, all count.
IterationCounts count_iterations(const std::vector<PlacedLaunch>& launches, uint32_t iterations,
                                 uint32_t kernels);

}  // namespace kjoule
