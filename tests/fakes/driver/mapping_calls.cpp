// Memory that is mapped at reserved addresses.

#include <map>

#include "entry.hpp"
#include "memory.hpp"

using stand_in::Memory;

/// Returns the sizes of physical memory by handle. The map is never destroyed, because threads may use it
/// until the process ends.
static std::map<CUmemGenericAllocationHandle, size_t>& handles() {
  static auto* all = new std::map<CUmemGenericAllocationHandle, size_t>;  // never destroyed
  return *all;
}

DRIVER(cuMemGetAllocationGranularity,
       (size_t * granularity, const CUmemAllocationProp* prop, CUmemAllocationGranularity_flags option),
       (granularity, prop, option)) {
  *granularity = Memory::kSpacing;
  return CUDA_SUCCESS;
}

DRIVER(cuMemAddressReserve,
       (CUdeviceptr * ptr, size_t size, size_t alignment, CUdeviceptr addr, unsigned long long flags),
       (ptr, size, alignment, addr, flags)) {
  *ptr = Memory::device().reserve(size);
  return *ptr == 0 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

DRIVER(cuMemAddressFree, (CUdeviceptr ptr, size_t size), (ptr, size)) {
  return Memory::device().end_reservation(ptr, size) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

DRIVER(cuMemCreate,
       (CUmemGenericAllocationHandle * handle, size_t size, const CUmemAllocationProp* prop,
        unsigned long long flags),
       (handle, size, prop, flags)) {
  static CUmemGenericAllocationHandle last = 0;
  if (size % Memory::kSpacing != 0) return CUDA_ERROR_INVALID_VALUE;
  if (size > Memory::device().free()) return CUDA_ERROR_OUT_OF_MEMORY;
  handles()[*handle = ++last] = size;
  return CUDA_SUCCESS;
}

DRIVER(cuMemRelease, (CUmemGenericAllocationHandle handle), (handle)) {
  return handles().erase(handle) > 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

DRIVER(cuMemMap,
       (CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
        unsigned long long flags),
       (ptr, size, offset, handle, flags)) {
  const auto known = handles().find(handle);
  const bool fits = known != handles().end() && known->second == size;
  return fits && Memory::device().map(ptr, size) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

DRIVER(cuMemUnmap, (CUdeviceptr ptr, size_t size), (ptr, size)) {
  return Memory::device().unmap(ptr, size) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

DRIVER(cuMemSetAccess, (CUdeviceptr ptr, size_t size, const CUmemAccessDesc* desc, size_t count),
       (ptr, size, desc, count)) {
  return Memory::device().holds(ptr, size) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
