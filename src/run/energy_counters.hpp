#pragma once
#include <map>
#include <memory>
#include <string>

#include "power/meters/meter.hpp"

namespace kjoule {

/// Returns the energy counters of all GPUs that NVML lists, by the UUID of the GPU. For a GPU without a
/// readable counter, stores the reason in `lacks`, also by UUID. Throws Error if NVML is not available.
std::map<std::string, std::unique_ptr<Meter>> open_energy_counters(std::map<std::string, std::string>& lacks);

}  // namespace kjoule
