#include "cuda/sent_bytes.hpp"

#include <cstring>
#include <utility>

namespace kjoule::cuda {

bool is_read_by_device(const void* host) {
  unsigned type = 0;
  const auto address = reinterpret_cast<CUdeviceptr>(host);
  return cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) == CUDA_SUCCESS &&
         type == CU_MEMORYTYPE_HOST;
}

StreamCall take_when_sent(CUstream stream, std::shared_ptr<std::vector<std::byte>> bytes, const void* from) {
  return {stream, [bytes = std::move(bytes), from] { std::memcpy(bytes->data(), from, bytes->size()); }};
}

}  // namespace kjoule::cuda
