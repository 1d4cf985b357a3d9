#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace kjoule {

/// A launch of kernel `kernel` in iteration `iteration`; nothing when it belongs to none.
struct PlacedLaunch {
  uint32_t kernel = 0;
  std::optional<uint32_t> iteration;
};

/// Which iterations count, and what each kernel's launches in them are.
struct IterationCounts {
  struct OfKernel {
    uint64_t launches = 0, fewest = 0, most = 0;
  };
  uint32_t warm_up = 0;  ///< the first so many do not count
  uint32_t number = 0;   ///< that count
  std::vector<OfKernel> kernels;

  bool counts(const PlacedLaunch& launch) const { return launch.iteration && *launch.iteration >= warm_up; }
};

/// Numbers the iterations that hold launches anew, from 0 without gaps; returns how many they are.
uint32_t drop_empty(std::vector<PlacedLaunch>& launches);

/// Warm-up is what comes before the first iteration of the most frequent content, as far as its content never
/// comes again. Where no two iterations are alike, all count.
IterationCounts count_iterations(const std::vector<PlacedLaunch>& launches, uint32_t iterations,
                                 uint32_t kernels);

}  // namespace kjoule
