// Arrays, which textures and surfaces use. No kernel of the stand-in reads or writes an array.

#include <cuda.h>

#include "entry.hpp"

DRIVER(cuArrayCreate_v2, (CUarray * pHandle, const CUDA_ARRAY_DESCRIPTOR* pAllocateArray),
       (pHandle, pAllocateArray)) {
  static uintptr_t last = 0;
  if (pAllocateArray->Width == 0) return CUDA_ERROR_INVALID_VALUE;
  *pHandle = reinterpret_cast<CUarray>(++last);
  return CUDA_SUCCESS;
}

DRIVER(cuArrayDestroy, (CUarray hArray), (hArray)) {
  return hArray == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
}
