#pragma once
#include <cuda.h>

#include <cstddef>
#include <utility>

namespace kjoule::cuda {

/// Zeroed host memory that kernels access at the same address as the host. The host can read results of
/// kernels in it without waiting for other work in progress. The destructor frees the memory.
class HostMemory {
 public:
  /// Throws DeviceError when the allocation fails.
  explicit HostMemory(size_t bytes);
  HostMemory(HostMemory&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)) {}
  HostMemory& operator=(HostMemory&&) = delete;
  ~HostMemory() { cuMemFreeHost(memory_); }
  void* get() const { return memory_; }
  CUdeviceptr address() const { return reinterpret_cast<CUdeviceptr>(memory_); }

 private:
  void* memory_ = nullptr;
};

}  // namespace kjoule::cuda
