// Memory in the order of a stream, from the one pool that the device has.

#include "entry.hpp"
#include "objects.hpp"
#include "streams.hpp"

using stand_in::Memory;

struct CUmemPoolHandle_st {};

CUmemoryPool stand_in::default_pool() {
  static CUmemPoolHandle_st pool;
  return &pool;
}

DRIVER(cuMemAllocAsync, (CUdeviceptr * dptr, size_t bytesize, CUstream hStream), (dptr, bytesize, hStream)) {
  if (bytesize == 0) return CUDA_ERROR_INVALID_VALUE;
  if (stand_in::stream_of(hStream).capture) {
    const size_t bytes = (bytesize + Memory::kSpacing - 1) / Memory::kSpacing * Memory::kSpacing;
    *dptr = Memory::device().reserve(bytes, 0);
    return *dptr == 0 ? CUDA_ERROR_OUT_OF_MEMORY
                      : stand_in::issue(stand_in::AllocateWork{*dptr, bytes}, hStream);
  }
  *dptr = Memory::device().allocate_from_pool(bytesize);
  return *dptr == 0 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

DRIVER(cuMemFreeAsync, (CUdeviceptr dptr, CUstream hStream), (dptr, hStream)) {
  if (stand_in::stream_of(hStream).capture) return stand_in::issue(stand_in::FreeWork{dptr}, hStream);
  return Memory::device().release_to_pool(dptr) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

DRIVER(cuMemPoolGetAttribute, (CUmemoryPool pool, CUmemPool_attribute attr, void* value),
       (pool, attr, value)) {
  if (attr != CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) return CUDA_ERROR_NOT_SUPPORTED;
  *static_cast<cuuint64_t*>(value) = Memory::device().pool_threshold();
  return CUDA_SUCCESS;
}

DRIVER(cuMemPoolSetAttribute, (CUmemoryPool pool, CUmemPool_attribute attr, void* value),
       (pool, attr, value)) {
  if (attr != CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) return CUDA_ERROR_NOT_SUPPORTED;
  Memory::device().set_pool_threshold(*static_cast<const cuuint64_t*>(value));
  return CUDA_SUCCESS;
}
