#pragma once
#include <cstddef>
#include <vector>

#include "power/logs/power_log.hpp"

namespace kjoule {

/// Sorts samples by time. Returns the number of samples that were out of order. Throws Error if the times
/// step back so far that two parts cover the same time: two logs are in one file, or a clock was set back.
size_t sort_samples(std::vector<PowerSeries::Sample>& samples);

/// Throws Error if the times of sorted samples come in groups, which is so if the samples are of several
/// devices and no column names the device.
void check_one_device(const std::vector<PowerSeries::Sample>& samples);

/// Returns the median time between sorted samples, s; 0 for fewer than two.
double median_interval_s(const std::vector<PowerSeries::Sample>& samples);

/// Replaces sorted samples with the same time by their mean. Returns the number of samples that were removed.
size_t join_samples(std::vector<PowerSeries::Sample>& samples);

}  // namespace kjoule
