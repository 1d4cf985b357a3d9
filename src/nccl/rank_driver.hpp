#pragma once
#include <cuda.h>

#include <string>

#include "base/process/library.hpp"

namespace kjoule::nccl {

/// The functions of the CUDA driver that kjoule-nccl calls, and the GPU that it uses. The driver is loaded at
/// run time, so that an Error can name it if it is absent.
class RankDriver {
 public:
  /// Loads the driver and makes the primary context of the GPU current, which NCCL then uses. Throws Error if
  /// there is no driver or no such GPU.
  explicit RankDriver(int gpu);
  RankDriver(const RankDriver&) = delete;
  RankDriver& operator=(const RankDriver&) = delete;

  const std::string& gpu_name() const { return gpu_name_; }
  const std::string& gpu_uuid() const { return gpu_uuid_; }
  CUstream stream() const { return stream_; }
  /// Throws Error if a call of the driver failed. `what` begins the message.
  void check(CUresult result, const std::string& what) const;

#define KJOULE_RANK_DRIVER_FUNCTIONS(use)                                                                    \
  use(cuInit) use(cuDeviceGet) use(cuDeviceGetCount) use(cuDeviceGetName) use(cuDeviceGetUuid)               \
      use(cuDevicePrimaryCtxRetain) use(cuCtxSetCurrent) use(cuMemAlloc) use(cuMemFree) use(cuMemsetD16)     \
          use(cuMemsetD32) use(cuMemcpyDtoH) use(cuMemcpyHtoD) use(cuStreamCreate) use(cuStreamSynchronize)  \
              use(cuEventCreate) use(cuEventRecord) use(cuEventDestroy) use(cuStreamBeginCapture)            \
                  use(cuStreamEndCapture) use(cuGraphInstantiate) use(cuGraphLaunch) use(cuGraphExecDestroy) \
                      use(cuGraphDestroy) use(cuEventElapsedTime) use(cuGetErrorString)
#define KJOULE_RANK_DRIVER_MEMBER(function) decltype(&::function) function = nullptr;
  KJOULE_RANK_DRIVER_FUNCTIONS(KJOULE_RANK_DRIVER_MEMBER)
#undef KJOULE_RANK_DRIVER_MEMBER

 private:
  Library library_;
  std::string gpu_name_, gpu_uuid_;
  CUstream stream_ = nullptr;
};

}  // namespace kjoule::nccl
