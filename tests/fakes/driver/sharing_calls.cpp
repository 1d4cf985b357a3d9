// Memory and events of another process. A handle that no process has created gives memory of this process.

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <map>

#include "entry.hpp"
#include "memory.hpp"
#include "objects.hpp"

using stand_in::Memory;

namespace {

constexpr uint64_t kPage = 4096;

/// The contents of a handle.
struct SharedBlock {
  pid_t process;
  int file;
  uint64_t offset;
  uint64_t bytes;
};

/// Maps the pages that contain a block of another process. Returns the block's address; 0 if that is
/// impossible.
CUdeviceptr map_block(const SharedBlock& block) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", block.process, block.file);
  const int file = open(path, O_RDWR);
  const uint64_t within = block.offset % kPage;
  void* base = mmap(nullptr, within + block.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                    static_cast<off_t>(block.offset - within));
  close(file);
  if (base == MAP_FAILED) return 0;
  stand_in::HostMemory::mapped().adopt(static_cast<char*>(base) + within, block.bytes);
  return reinterpret_cast<CUdeviceptr>(base) + within;
}

}  // namespace

DRIVER(cuIpcGetMemHandle, (CUipcMemHandle * pHandle, CUdeviceptr dptr), (pHandle, dptr)) {
  const Memory::Range range = Memory::device().range_of(dptr);
  if (range.bytes == 0 || Memory::device().file() < 0) return CUDA_ERROR_INVALID_VALUE;
  const SharedBlock block{getpid(), Memory::device().file(), Memory::device().offset_of(range.address),
                          range.bytes};
  static_assert(sizeof block <= sizeof *pHandle);
  std::memcpy(pHandle, &block, sizeof block);
  return CUDA_SUCCESS;
}

DRIVER(cuIpcOpenMemHandle_v2, (CUdeviceptr * pdptr, CUipcMemHandle handle, unsigned Flags),
       (pdptr, handle, Flags)) {
  SharedBlock block{};
  std::memcpy(&block, &handle, sizeof block);
  if (block.process != 0) {
    *pdptr = map_block(block);
    return *pdptr == 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  }
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
