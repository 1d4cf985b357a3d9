#include "cuda/driver/gpu_uuid.hpp"

#include <cstddef>

#include "cuda/driver/check.hpp"

namespace kjoule::cuda {

std::string gpu_uuid(CUdevice device) {
  CUuuid id{};
  KJOULE_CU(cuDeviceGetUuid(&id, device));
  std::string text = "GPU-";
  constexpr char kHex[] = "0123456789abcdef";
  for (size_t i = 0; i < sizeof id.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(id.bytes[i]);
    text += kHex[byte >> 4];
    text += kHex[byte & 15];
  }
  return text;
}

}  // namespace kjoule::cuda
