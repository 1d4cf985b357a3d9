#pragma once
#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/driver/check.hpp"

namespace kjoule::cuda {

/// Device memory that kjoule allocates. The destructor frees it.
class Buffer {
 public:
  Buffer() = default;
  /// Throws DeviceError if the device has too little memory.
  explicit Buffer(size_t bytes);
  Buffer(Buffer&& other) noexcept : address_(other.address_) { other.address_ = 0; }
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();
  CUdeviceptr address() const { return address_; }

 private:
  CUdeviceptr address_ = 0;
};

/// Returns a buffer that contains the values. Work in any stream can use it at once.
template <typename T>
Buffer upload(const std::vector<T>& values) {
  Buffer buffer(values.size() * sizeof(T));
  if (!values.empty()) KJOULE_CU(cuMemcpyHtoD(buffer.address(), values.data(), values.size() * sizeof(T)));
  KJOULE_CU(cuStreamSynchronize(nullptr));  // the copy may return before the device has the values
  return buffer;
}

/// Returns the first `count` values of the buffer. The caller must have waited for work that writes the
/// buffer in streams other than the default stream.
template <typename T>
std::vector<T> read_back(const Buffer& buffer, size_t count) {
  std::vector<T> values(count);
  if (count > 0) KJOULE_CU(cuMemcpyDtoH(values.data(), buffer.address(), count * sizeof(T)));
  return values;
}

}  // namespace kjoule::cuda
