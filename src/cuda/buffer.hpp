#pragma once
#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/check.hpp"

namespace kjoule::driver {

/// Device memory of our own; freed with the object.
class Buffer {
 public:
  Buffer() = default;
  /// Throws DeviceError when there is no room.
  explicit Buffer(size_t bytes);
  Buffer(Buffer&& other) noexcept : address_(other.address_) { other.address_ = 0; }
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();
  CUdeviceptr address() const { return address_; }

 private:
  CUdeviceptr address_ = 0;
};

/// A buffer that holds these values, for work in any stream.
template <typename T>
Buffer uploaded(const std::vector<T>& values) {
  Buffer buffer(values.size() * sizeof(T));
  if (!values.empty()) KJOULE_CU(cuMemcpyHtoD(buffer.address(), values.data(), values.size() * sizeof(T)));
  KJOULE_CU(cuStreamSynchronize(nullptr));  // the copy may return before the device has the values
  return buffer;
}

/// What the buffer holds. Work of other streams than the default one must be done.
template <typename T>
std::vector<T> read_back(const Buffer& buffer, size_t count) {
  std::vector<T> values(count);
  if (count > 0) KJOULE_CU(cuMemcpyDtoH(values.data(), buffer.address(), count * sizeof(T)));
  return values;
}

}  // namespace kjoule::driver
