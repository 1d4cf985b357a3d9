#pragma once
#include <optional>
#include <vector>

#include "recording/recording.hpp"

namespace kjoule {

/// The errors with which the launches at one half of a kernel's places predict the time at the other half.
/// Small errors show that kernel time x count predicts times. The sum over all places cannot show this,
/// because it contains the measured time of each place.
struct HalfOfPlaces {
  double mean_error = 0;  ///< mean of |predicted - measured| / measured over kernels, weighted by time
  double sum_error = 0;   ///< signed error of all predictions together, as a share of the measured time
  /// Share of the iteration's time that kernels with only one place take. These kernels are not tested.
  double once_share = 0;
};

/// Predicts the time of each half of a kernel's places from the other half, and returns the errors; nothing
/// if no kernel has two places.
///
/// Each kernel's places are divided into two halves at random. The mean time of one half in `predicting_s`,
/// times the number of places in the other half, is compared with the time of the other half in `measured_s`.
/// Both arguments contain the time of each launch, in s; they come from independent measurements.
std::optional<HalfOfPlaces> test_halves(const KernelTable& table, const std::vector<double>& predicting_s,
                                        const std::vector<double>& measured_s);

}  // namespace kjoule
