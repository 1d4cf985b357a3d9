#pragma once
#include <memory>

#include "power/meters/power_source.hpp"

namespace kjoule {

/// Returns the source for 1 to 4 WattsUp meters at the power socket, on the serial ports `options.ports`. If
/// `options.ports` is empty, those of ttyUSB0 and ttyUSB1 in the folder `options.devices` that exist are
/// used. Each meter reports its power every `options.wattsup_interval_s` seconds.
std::unique_ptr<PowerSource> wattsup_source(const PowerSourceOptions& options);

}  // namespace kjoule
