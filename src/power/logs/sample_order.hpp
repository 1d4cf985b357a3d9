#pragma once
#include <cstddef>
#include <vector>

#include "power/logs/power_log.hpp"

namespace kjoule {

/// Sorts samples by time. Returns the number of samples that followed a later one. Throws Error if the times
/// step back and both parts cover the same time: two logs are in one file, or a clock was set back.
size_t sort_samples(std::vector<PowerSeries::Sample>& samples);

/// Throws Error if sorted samples come in groups, as those of several devices do where no column names the
/// device.
void check_one_device(const std::vector<PowerSeries::Sample>& samples);

/// Replaces sorted samples of the same time by their mean. Returns the number of samples that were removed.
size_t join_samples(std::vector<PowerSeries::Sample>& samples);

}  // namespace kjoule
