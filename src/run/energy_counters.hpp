#pragma once
#include <map>
#include <memory>
#include <string>

#include "power/meters/meter.hpp"

namespace kjoule {

/// Opens the energy counters of all GPUs that NVML sees; the keys are the GPUs' UUIDs. Adds to `lacks` why a
/// GPU has none. Throws Error if NVML is not available.
std::map<std::string, std::unique_ptr<Meter>> open_energy_counters(std::map<std::string, std::string>& lacks);

}  // namespace kjoule
