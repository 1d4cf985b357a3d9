#pragma once
#include <memory>

#include "power/meters/power_source.hpp"

namespace kjoule {

/// NVML's energy counter of each GPU: millijoules, moved every 100 ms.
std::unique_ptr<PowerSource> nvml_counter_source();

}  // namespace kjoule
