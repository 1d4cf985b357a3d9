#pragma once
#include <vector>

namespace kjoule {

/// Largest logarithm of a ratio of costs that models of collectives use, so that the ends of intervals are
/// finite even if the costs of a table are absurd.
constexpr double kMostLogRatio = 300;

/// Returns the smallest half-width that covers 90 % of future rows if their residuals are distributed like
/// these (split conformal prediction: V. Vovk et al., "Algorithmic Learning in a Random World", 2005).
double half_width(std::vector<double> residuals);
/// Returns the mean error in % of the measured values, from the logarithms of the ratios of measured to
/// predicted values.
double mean_percent(const std::vector<double>& residuals);
/// Returns the least half-width of intervals outside the samples, as a logarithm: what a larger shape adds to
/// the cost may not show in any smaller one.
double least_half_width_outside();

}  // namespace kjoule
