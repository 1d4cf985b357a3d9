#include "cuda/pool_thresholds.hpp"

#include <limits>

#include "cuda/check.hpp"

namespace kjoule::cuda {

PoolThresholds::PoolThresholds(const std::set<CUmemoryPool>& pools) {
  for (CUmemoryPool pool : pools) {
    cuuint64_t bytes = 0;
    KJOULE_CU(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &bytes));
    thresholds_.emplace_back(pool, bytes);
    bytes = std::numeric_limits<cuuint64_t>::max();
    KJOULE_CU(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &bytes));
  }
}

PoolThresholds::~PoolThresholds() {
  for (auto& [pool, bytes] : thresholds_)
    cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &bytes);
}

}  // namespace kjoule::cuda
