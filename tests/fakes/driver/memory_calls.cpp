// Device memory, and host memory that the device can access.

#include <cstdlib>

#include "entry.hpp"
#include "objects.hpp"
#include "streams.hpp"

using stand_in::Memory;

static CUresult allocate(CUdeviceptr* address, size_t bytes, bool managed) {
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  *address = Memory::device().allocate(bytes, managed);
  return *address == 0 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

static CUresult release(CUdeviceptr address) {
  return address == 0 || Memory::device().release(address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

DRIVER(cuMemAlloc_v2, (CUdeviceptr * dptr, size_t bytesize), (dptr, bytesize)) {
  if (stand_in::forbidden_by_capture()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  return allocate(dptr, bytesize, false);
}

DRIVER(cuMemAllocPitch_v2,
       (CUdeviceptr * dptr, size_t* pPitch, size_t WidthInBytes, size_t Height, unsigned ElementSizeBytes),
       (dptr, pPitch, WidthInBytes, Height, ElementSizeBytes)) {
  constexpr size_t kPitch = 512;
  *pPitch = (WidthInBytes + kPitch - 1) / kPitch * kPitch;
  return allocate(dptr, *pPitch * Height, false);
}

/// Frees memory at once, because all operations have already run.
DRIVER(cuMemFree_v2, (CUdeviceptr dptr), (dptr)) {
  if (stand_in::forbidden_by_capture()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  stand_in::wait_until(stand_in::all_done_ns());
  return release(dptr);
}

DRIVER(cuMemGetAddressRange_v2, (CUdeviceptr * pbase, size_t* psize, CUdeviceptr dptr),
       (pbase, psize, dptr)) {
  const Memory::Range range = Memory::device().range_of(dptr);
  *pbase = range.address;
  *psize = range.bytes;
  return range.bytes == 0 ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}

DRIVER(cuMemAllocManaged, (CUdeviceptr * dptr, size_t bytesize, unsigned flags), (dptr, bytesize, flags)) {
  return allocate(dptr, bytesize, true);
}

/// Prefetching does nothing, because memory does not move here. With FAKE_CUDA_KEEPS_MANAGED, it is not
/// supported.
DRIVER(cuMemPrefetchAsync_v2,
       (CUdeviceptr devPtr, size_t count, CUmemLocation location, unsigned flags, CUstream hStream),
       (devPtr, count, location, flags, hStream)) {
  if (std::getenv("FAKE_CUDA_KEEPS_MANAGED") != nullptr) return CUDA_ERROR_NOT_SUPPORTED;
  const Memory::Range range = Memory::device().range_of(devPtr);
  const bool is_within = devPtr + count <= range.address + range.bytes;
  return is_within && Memory::device().is_managed(devPtr) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

DRIVER(cuMemGetInfo_v2, (size_t * free, size_t* total), (free, total)) {
  *free = Memory::device().free();
  *total = Memory::device().total();
  return CUDA_SUCCESS;
}

DRIVER(cuMemHostAlloc, (void** pp, size_t bytesize, unsigned Flags), (pp, bytesize, Flags)) {
  *pp = stand_in::HostMemory::mapped().allocate(bytesize);
  return *pp == nullptr ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

DRIVER(cuMemFreeHost, (void* p), (p)) {
  stand_in::HostMemory::mapped().release(p);
  return CUDA_SUCCESS;
}

DRIVER(cuMemHostRegister_v2, (void* p, size_t bytesize, unsigned Flags), (p, bytesize, Flags)) {
  if (p == nullptr || bytesize == 0) return CUDA_ERROR_INVALID_VALUE;
  stand_in::HostMemory::mapped().adopt(p, bytesize);
  return CUDA_SUCCESS;
}

DRIVER(cuMemHostGetDevicePointer_v2, (CUdeviceptr * pdptr, void* p, unsigned Flags), (pdptr, p, Flags)) {
  *pdptr = reinterpret_cast<CUdeviceptr>(p);
  return stand_in::HostMemory::mapped().holds(*pdptr, 1) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

DRIVER(cuMemHostUnregister, (void* p), (p)) {
  return stand_in::HostMemory::mapped().forget(p) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/// Pageable host memory is unknown, as on a GPU.
DRIVER(cuPointerGetAttribute, (void* data, CUpointer_attribute attribute, CUdeviceptr ptr),
       (data, attribute, ptr)) {
  const bool is_device = Memory::device().holds(ptr, 1);
  if (!is_device && !stand_in::HostMemory::mapped().holds(ptr, 1)) return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<unsigned*>(data) = is_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      *static_cast<bool*>(data) = is_device && Memory::device().is_managed(ptr);
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      *static_cast<int*>(data) = is_device ? Memory::device().device_of(ptr) : 0;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}
