#pragma once
#include <cstddef>
#include <vector>

#include "power/logs/power_log.hpp"

namespace kjoule {

/// Sorts samples by time. Returns the number of samples that were out of order. Throws Error if the times
/// step back so far that two parts cover the same time: two logs are in one file, or a clock was set back.
size_t sort_samples(std::vector<PowerSeries::Sample>& samples);

/// Throws Error if the times of sorted samples come in groups, which is so if the samples are of several
/// devices and no column names the device. Bursts of readings of one device are accepted: their number
/// varies, or they are not much closer to each other than bursts are, and their powers do not depend on their
/// places in the burst.
void check_one_device(const std::vector<PowerSeries::Sample>& samples);

/// Throws Error if sorted samples with equal times are of several devices: there is always the same number of
/// them, and their powers depend on their order.
void check_equal_times(const std::vector<PowerSeries::Sample>& samples);

/// Returns the median time between sorted samples, s; 0 for fewer than two.
double median_interval_s(const std::vector<PowerSeries::Sample>& samples);

/// Replaces sorted samples with the same time by their mean. Returns the number of samples that were removed.
size_t join_samples(std::vector<PowerSeries::Sample>& samples);

}  // namespace kjoule
