#pragma once
#include <memory>

#include "power/meters/power_source.hpp"

namespace kjoule {

/// Returns the source for WattsUp meters at the power socket, 1 to 4 of them, on the serial ports
/// `options.ports`. Without ports, it uses ttyUSB0 and ttyUSB1 in the folder `options.devices`, as far as
/// they exist. Each meter reports its power every `options.wattsup_interval_s` seconds.
std::unique_ptr<PowerSource> wattsup_source(const PowerSourceOptions& options);

}  // namespace kjoule
