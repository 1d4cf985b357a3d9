// Memory and events of another process. There is none: an opened handle is given memory of this one.

#include <map>

#include "entry.hpp"
#include "memory.hpp"
#include "objects.hpp"

using stand_in::Memory;

DRIVER(cuIpcOpenMemHandle_v2, (CUdeviceptr * pdptr, CUipcMemHandle handle, unsigned Flags),
       (pdptr, handle, Flags)) {
  constexpr size_t kBytes = 4096;
  *pdptr = Memory::device().allocate(kBytes, false);
  return *pdptr == 0 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

DRIVER(cuIpcCloseMemHandle, (CUdeviceptr dptr), (dptr)) {
  return Memory::device().release(dptr) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

DRIVER(cuIpcOpenEventHandle, (CUevent * phEvent, CUipcEventHandle handle), (phEvent, handle)) {
  *phEvent = new CUevent_st{.flags = CU_EVENT_DISABLE_TIMING, .capture = {}, .nodes = {}};
  return CUDA_SUCCESS;
}
