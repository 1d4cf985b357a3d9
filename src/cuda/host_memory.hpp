#pragma once
#include <cuda.h>

#include <cstddef>
#include <utility>

namespace kjoule::driver {

/// Host memory, zeroed, that kernels of the device read and write at the same address: what they left there
/// can be read without waiting for what else is under way. Freed with the object.
class HostMemory {
 public:
  /// Throws DeviceError when there is no room.
  explicit HostMemory(size_t bytes);
  HostMemory(HostMemory&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)) {}
  HostMemory& operator=(HostMemory&&) = delete;
  ~HostMemory() { cuMemFreeHost(memory_); }
  void* get() const { return memory_; }
  CUdeviceptr address() const { return reinterpret_cast<CUdeviceptr>(memory_); }

 private:
  void* memory_ = nullptr;
};

}  // namespace kjoule::driver
