#pragma once
#include <memory>

#include "power/meters/power_source.hpp"

namespace kjoule {

/// Returns the source with NVML's energy counter of each GPU, which has steps of 1 mJ and changes every 100
/// ms.
std::unique_ptr<PowerSource> nvml_counter_source();

}  // namespace kjoule
