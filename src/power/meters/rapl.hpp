#pragma once
#include <filesystem>
#include <memory>

#include "power/meters/power_source.hpp"

namespace kjoule {

/// Returns the source with the energy counters of CPU packages and their memory, in a folder such as
/// /sys/class/powercap.
std::unique_ptr<PowerSource> rapl_source(const std::filesystem::path& powercap);

}  // namespace kjoule
