#pragma once
#include <filesystem>
#include <memory>
#include <vector>

#include "power/meters/power_source.hpp"

namespace kjoule {

/// Returns the source with the energy counters of CPU packages and their memory, in a folder such as
/// /sys/class/powercap.
std::unique_ptr<PowerSource> rapl_source(const std::filesystem::path& powercap);
/// Returns the meters of `found` that measure a whole package, without memory outside it. A machine has one
/// package in each socket.
std::vector<FoundMeter> rapl_packages(std::vector<FoundMeter> found);

}  // namespace kjoule
