#pragma once
#include <memory>

#include "power/meters/power_source.hpp"

namespace kjoule {

/// NVML's power of each GPU. The samples that the driver keeps (one in 20 ms) where the board has them,
/// otherwise its instant power, otherwise its average over a second, which its facts then say.
std::unique_ptr<PowerSource> nvml_samples_source();

}  // namespace kjoule
