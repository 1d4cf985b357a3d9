#pragma once
#include <optional>
#include <vector>

#include "recording/recording.hpp"

namespace kjoule {

/// The errors with which one half of each kernel's places predicts the time of the other half. They test
/// whether kernel x count is a time, which the sum over all places does not test.
struct HalfOfPlaces {
  double mean_error = 0;  ///< mean of |predicted - measured| / measured over kernels, weighted by time
  double sum_error = 0;   ///< signed error of all predictions together, as a share of the measured time
  /// Share of the time that belongs to kernels with one place, which are not tested.
  double once_share = 0;
};

/// Predicts the time of each half of a kernel's places from the other half, and returns the errors; nothing
/// if no kernel has two places.
///
/// The halves are drawn at random. The mean time of one half in `predicting_s`, times the number of places in
/// the other half, is compared with the time of the other half in `measured_s`. Both arguments are times by
/// launch, in s, from independent measurements.
std::optional<HalfOfPlaces> test_halves(const KernelTable& table, const std::vector<double>& predicting_s,
                                        const std::vector<double>& measured_s);

}  // namespace kjoule
