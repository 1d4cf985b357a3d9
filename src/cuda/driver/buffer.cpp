#include "cuda/driver/buffer.hpp"

#include <utility>

namespace kjoule::cuda {

Buffer::Buffer(size_t bytes) {
  if (bytes > 0) KJOULE_CU(cuMemAlloc(&address_, bytes));
}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(address_, other.address_);
  return *this;
}

Buffer::~Buffer() {
  if (address_ != 0) cuMemFree(address_);
}

}  // namespace kjoule::cuda
