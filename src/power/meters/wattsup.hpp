#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "power/meters/power_source.hpp"

namespace kjoule {

/// WattsUp meters at the socket, 1 to 4 of them, on those serial ports; with none named, on ttyUSB0 and
/// ttyUSB1 of the folder of devices, as far as they are there. Each tells its power once a second.
std::unique_ptr<PowerSource> wattsup_source(std::vector<std::string> ports,
                                            const std::filesystem::path& devices);

}  // namespace kjoule
