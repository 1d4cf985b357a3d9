#include "torch/device_facts.hpp"

#include <unistd.h>

#include <array>
#include <fstream>

#include "base/error.hpp"
#include "base/text/uuid_text.hpp"
#include "torch/cuda_driver.hpp"

namespace kjoule::runner {

namespace {

std::string cpu_name() {
  std::ifstream lines("/proc/cpuinfo");
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  return "CPU";  // the kernels of some architectures do not report the model
}

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

std::string device_name(c10::Device device) {
  if (device.is_cpu()) return cpu_name();
  const Library driver = open_cuda_driver();
  auto* const get = driver.symbol<int(int*, int)>("cuDeviceGet");
  auto* const get_name = driver.symbol<int(char*, int, int)>("cuDeviceGetName");
  std::array<char, 256> name{};
  int number = 0;
  if (get == nullptr || get_name == nullptr || get(&number, device.index()) != 0 ||
      get_name(name.data(), static_cast<int>(name.size()), number) != 0)
    throw Error("the driver does not report the GPU's name", "kjoule doctor reports what this machine lacks");
  return name.data();
}

std::string device_uuid(c10::Device device) {
  if (device.is_cpu()) return {};
  const Library driver = open_cuda_driver();
  auto* const get = driver.symbol<int(int*, int)>("cuDeviceGet");
  auto* const get_uuid = driver.symbol<int(char*, int)>("cuDeviceGetUuid_v2");
  std::array<char, 16> bytes{};
  int number = 0;
  if (get == nullptr || get_uuid == nullptr || get(&number, device.index()) != 0 ||
      get_uuid(bytes.data(), number) != 0)
    return {};
  return gpu_uuid_text(bytes);
}

std::optional<int64_t> cache_size(c10::Device device) {
  if (!device.is_cpu()) return gpu_cache_size(device.index());
  const int64_t bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

}  // namespace kjoule::runner
