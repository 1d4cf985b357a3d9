#pragma once
#include <optional>
#include <vector>

#include "recording/recording.hpp"

namespace kjoule {

/// How well one half of a kernel's places predicts the other half: the test of "kernel x count", which the
/// sum of all places cannot fail.
struct HalfOfPlaces {
  double mean_error = 0;  ///< over kernels, weighted by time: |predicted - measured| / measured
  double sum_error = 0;   ///< of all predictions together, signed
  double once_share = 0;  ///< share of the time of kernels with one place, for which nothing is tested
};

/// Draws half of each kernel's places, takes their mean from `predicting_s` and compares it, times the number
/// of the other places, with their times in `measured_s`; then the same with the halves exchanged. The two
/// are times by launch from independent measurements. Returns nothing when no kernel has two places.
std::optional<HalfOfPlaces> test_halves(const KernelTable& table, const std::vector<double>& predicting_s,
                                        const std::vector<double>& measured_s);

}  // namespace kjoule
