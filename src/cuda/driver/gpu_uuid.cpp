#include "cuda/driver/gpu_uuid.hpp"

#include "base/text/uuid_text.hpp"
#include "cuda/driver/check.hpp"

namespace kjoule::cuda {

std::string gpu_uuid(CUdevice device) {
  CUuuid id{};
  KJOULE_CU(cuDeviceGetUuid(&id, device));
  return gpu_uuid_text(std::span<const char, sizeof id.bytes>(id.bytes));
}

}  // namespace kjoule::cuda
