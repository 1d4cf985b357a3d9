// Stream-ordered memory, from the single pool of the device.

#include "entry.hpp"
#include "objects.hpp"
#include "streams.hpp"

using stand_in::Memory;

static CUresult allocate(CUdeviceptr* dptr, size_t bytesize, CUstream hStream) {
  if (bytesize == 0) return CUDA_ERROR_INVALID_VALUE;
  if (stand_in::stream_of(hStream).capture) {
    const size_t bytes = (bytesize + Memory::kSpacing - 1) / Memory::kSpacing * Memory::kSpacing;
    *dptr = Memory::device().reserve(bytes);
    return *dptr == 0 ? CUDA_ERROR_OUT_OF_MEMORY
                      : stand_in::issue(stand_in::AllocateWork{*dptr, bytes}, hStream);
  }
  *dptr = Memory::device().allocate(bytesize, false);
  return *dptr == 0 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

DRIVER(cuMemAllocAsync, (CUdeviceptr * dptr, size_t bytesize, CUstream hStream), (dptr, bytesize, hStream)) {
  return allocate(dptr, bytesize, hStream);
}

DRIVER(cuMemAllocFromPoolAsync, (CUdeviceptr * dptr, size_t bytesize, CUmemoryPool pool, CUstream hStream),
       (dptr, bytesize, pool, hStream)) {
  return allocate(dptr, bytesize, hStream);
}

DRIVER(cuMemFreeAsync, (CUdeviceptr dptr, CUstream hStream), (dptr, hStream)) {
  if (stand_in::stream_of(hStream).capture) return stand_in::issue(stand_in::FreeWork{dptr}, hStream);
  return dptr == 0 || Memory::device().release(dptr) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
