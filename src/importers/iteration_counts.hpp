#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace kjoule {

/// A launch of a kernel, and the iteration that it belongs to.
struct PlacedLaunch {
  uint32_t kernel = 0;                ///< index of the kernel
  std::optional<uint32_t> iteration;  ///< number of the iteration; nothing if it belongs to none
};

/// The counted iterations, and the launches of each kernel in them.
struct IterationCounts {
  /// A kernel's launches in all counted iterations, and the fewest and most launches in one of them.
  struct OfKernel {
    uint64_t launches = 0, fewest = 0, most = 0;
  };
  uint32_t warm_up = 0;  ///< the first warm_up iterations are not counted
  uint32_t number = 0;   ///< number of counted iterations
  std::vector<OfKernel> kernels;

  bool counts(const PlacedLaunch& launch) const { return launch.iteration && *launch.iteration >= warm_up; }
};

/// Renumbers the iterations that contain launches, from 0 without gaps. Returns their number.
uint32_t drop_empty(std::vector<PlacedLaunch>& launches);

/// Counts the launches in all iterations except those of the warm-up. The warm-up ends before the first
/// iteration whose content is the most frequent one, or occurs again after such an iteration. If no two
/// iterations have the same content, there is no warm-up.
IterationCounts count_iterations(const std::vector<PlacedLaunch>& launches, uint32_t iterations,
                                 uint32_t kernels);

}  // namespace kjoule
