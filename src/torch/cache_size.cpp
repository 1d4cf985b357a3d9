#include "torch/cache_size.hpp"

#include <unistd.h>

#include "torch/cuda_driver.hpp"

namespace kjoule::runner {

namespace {

constexpr int kL2CacheSize = 38;  ///< CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE

std::optional<int64_t> gpu_cache_size(int index) {
  const Library driver = open_cuda_driver();
  auto* const get = driver.symbol<int(int*, int)>("cuDeviceGet");
  auto* const get_attribute = driver.symbol<int(int*, int, int)>("cuDeviceGetAttribute");
  int number = 0, bytes = 0;
  if (get == nullptr || get_attribute == nullptr || get(&number, index) != 0 ||
      get_attribute(&bytes, kL2CacheSize, number) != 0 || bytes <= 0)
    return {};
  return bytes;
}

}  // namespace

std::optional<int64_t> cache_size(c10::Device device) {
  if (!device.is_cpu()) return gpu_cache_size(device.index());
  const int64_t bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

}  // namespace kjoule::runner
