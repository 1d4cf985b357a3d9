#include "cuda/calls/sent_bytes.hpp"

#include <cstring>
#include <utility>

namespace kjoule::cuda {

std::optional<CUmemorytype> memory_type_of(CUdeviceptr address) {
  unsigned type = 0;
  if (cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) != CUDA_SUCCESS) return {};
  return static_cast<CUmemorytype>(type);
}

bool is_read_by_device(const void* host) {
  return memory_type_of(reinterpret_cast<CUdeviceptr>(host)) == CU_MEMORYTYPE_HOST;
}

StreamCall take_when_sent(CUstream stream, std::shared_ptr<std::vector<std::byte>> bytes, const void* from) {
  return {stream, [bytes = std::move(bytes), from] { std::memcpy(bytes->data(), from, bytes->size()); }};
}

}  // namespace kjoule::cuda
