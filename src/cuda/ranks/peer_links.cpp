#include "cuda/ranks/peer_links.hpp"

#include <unistd.h>

#include <cstring>

#include "cuda/driver/check.hpp"

namespace kjoule::cuda {

namespace {

/// Bytes of a copy. 16 bytes use one of the links of NVLink only; 64 KiB use all of them.
constexpr size_t kBytes = size_t{64} << 10;

RankMemory describe(const Buffer& buffer) {
  RankMemory memory{};
  CUcontext context = nullptr;
  CUipcMemHandle handle{};
  KJOULE_CU(cuCtxGetCurrent(&context));
  static_assert(sizeof handle == sizeof memory.handle);
  // Without a handle, other processes cannot open the memory.
  if (cuIpcGetMemHandle(&handle, buffer.address()) == CUDA_SUCCESS)
    std::memcpy(memory.handle.data(), &handle, sizeof handle);
  memory.process = static_cast<uint64_t>(getpid());
  memory.context = reinterpret_cast<uint64_t>(context);
  memory.address = buffer.address();
  return memory;
}

}  // namespace

PeerLinks::PeerLinks(RankBoard& board, uint32_t rank, const std::function<void()>& meet) : own_(kBytes) {
  board.set_memory(rank, describe(own_));
  meet();
  for (uint32_t other = 0; other < kMostRanks; ++other)
    if (other != rank && board.is_member(other)) open(board.memory(other));
}

PeerLinks::~PeerLinks() {
  for (const CUdeviceptr address : opened_) cuIpcCloseMemHandle(address);
}

void PeerLinks::open(const RankMemory& memory) {
  if (memory.process == static_cast<uint64_t>(getpid())) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    const CUresult reached = cuCtxEnablePeerAccess(reinterpret_cast<CUcontext>(memory.context), 0);
    if (reached == CUDA_SUCCESS || reached == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
      targets_.push_back(memory.address);
    return;
  }
  CUipcMemHandle handle{};
  std::memcpy(&handle, memory.handle.data(), sizeof handle);
  CUdeviceptr address = 0;
  if (cuIpcOpenMemHandle(&address, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) != CUDA_SUCCESS) return;
  opened_.push_back(address);
  targets_.push_back(address);
}

void PeerLinks::use_in(CUstream stream) const {
  for (const CUdeviceptr target : targets_)
    KJOULE_CU(cuMemcpyDtoDAsync(target, own_.address(), kBytes, stream));
}

}  // namespace kjoule::cuda
