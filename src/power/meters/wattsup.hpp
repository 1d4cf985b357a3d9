#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "power/meters/power_source.hpp"

namespace kjoule {

/// Returns the source for WattsUp meters at the power socket, 1 to 4 of them, on the given serial ports.
/// Without ports, it uses ttyUSB0 and ttyUSB1 in the folder `devices`, as far as they exist. Each meter
/// reports its power once per second.
std::unique_ptr<PowerSource> wattsup_source(std::vector<std::string> ports,
                                            const std::filesystem::path& devices);

}  // namespace kjoule
