#pragma once
#include "cuda/driver/buffer.hpp"
#include "cuda/memory/pages.hpp"

namespace kjoule::cuda {

/// Memory of kjoule that is twice as large as the device's L2 cache. Copying one half of it to the other
/// evicts all other data from the caches. All tracks share it.
class CacheFlush {
 public:
  explicit CacheFlush(const PageKernels& kernels);
  void issue(CUstream stream) const;

 private:
  const PageKernels& kernels_;
  size_t cache_bytes_;
  Buffer bytes_;
};

}  // namespace kjoule::cuda
