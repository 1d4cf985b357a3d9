#include "cuda/driver/host_memory.hpp"

#include <cstring>

#include "cuda/driver/check.hpp"

namespace kjoule::cuda {

HostMemory::HostMemory(size_t bytes) {
  KJOULE_CU(cuMemHostAlloc(&memory_, bytes, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
  std::memset(memory_, 0, bytes);
}

}  // namespace kjoule::cuda
