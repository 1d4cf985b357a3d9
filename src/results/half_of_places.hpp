#pragma once

namespace kjoule {

/// How well one half of a kernel's places predicts the other half: the test of "kernel x count", which the
/// sum of all places cannot fail.
struct HalfOfPlaces {
  double mean_error = 0;  ///< over kernels, weighted by time: |predicted - measured| / measured
  double sum_error = 0;   ///< of all predictions together, signed
  double once_share = 0;  ///< share of the time of kernels with one place, for which nothing is tested
};

}  // namespace kjoule
