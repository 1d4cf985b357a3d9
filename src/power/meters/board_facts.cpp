#include "power/meters/board_facts.hpp"

#include "power/meters/nvml.hpp"

namespace kjoule {

BoardFacts read_board_facts(const std::string& uuid) {
  const auto nvml = Nvml::open();
  const NvmlDevice device = nvml->device(uuid);
  return {device.uuid,
          nvml->driver_version(),
          nvml->power_limit_w(device),
          nvml->default_power_limit_w(device),
          nvml->has_ecc(device),
          nvml->highest_sm_clock_mhz(device),
          nvml->highest_memory_clock_mhz(device)};
}

}  // namespace kjoule
