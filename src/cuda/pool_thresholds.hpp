#pragma once
#include <cuda.h>

#include <set>
#include <utility>
#include <vector>

namespace kjoule::cuda {

/// Lets memory pools keep all memory that the program frees, so that it stays accessible. Restores the pools'
/// release thresholds when it is destroyed.
class PoolThresholds {
 public:
  /// Throws DeviceError when a threshold cannot be set.
  explicit PoolThresholds(const std::set<CUmemoryPool>& pools);
  ~PoolThresholds();
  PoolThresholds(const PoolThresholds&) = delete;
  PoolThresholds& operator=(const PoolThresholds&) = delete;

 private:
  std::vector<std::pair<CUmemoryPool, cuuint64_t>> thresholds_;  ///< the program's own, in bytes
};

}  // namespace kjoule::cuda
