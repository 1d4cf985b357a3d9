#pragma once
#include <optional>
#include <vector>

#include "recording/recording.hpp"

namespace kjoule {

/// How well one half of each kernel's places predicts the other half. This tests "kernel x count", which the
/// sum over all places cannot test.
struct HalfOfPlaces {
  double mean_error = 0;  ///< mean of |predicted - measured| / measured over kernels, weighted by time
  double sum_error = 0;   ///< signed error of all predictions together, as a share of the measured time
  /// Share of the time that belongs to kernels with one place, which are not tested.
  double once_share = 0;
};

/// Predicts one half of each kernel's places from the other half, in both directions, and returns the errors;
/// nothing if no kernel has two places.
///
/// The half is drawn at random. Its mean time in `predicting_s`, times the number of the other places, is
/// compared with the time of the other places in `measured_s`. Both are times by launch, s, from independent
/// measurements.
std::optional<HalfOfPlaces> test_halves(const KernelTable& table, const std::vector<double>& predicting_s,
                                        const std::vector<double>& measured_s);

}  // namespace kjoule
