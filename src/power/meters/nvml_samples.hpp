#pragma once
#include <memory>

#include "power/meters/power_source.hpp"

namespace kjoule {

/// Returns the source with NVML's power of each GPU. It uses the driver's buffer of power samples (one every
/// 20 ms) if the board has one, else the instantaneous power, else the average over one second.
/// MeterFacts::averaging_s shows which of them is used.
std::unique_ptr<PowerSource> nvml_samples_source();

}  // namespace kjoule
