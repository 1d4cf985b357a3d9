#pragma once
#include <cstddef>
#include <vector>

#include "base/numbers/interval.hpp"

namespace kjoule {

double mean(const std::vector<double>& values);
double median(std::vector<double> values);
/// Returns the quantile for q in [0, 1], with linear interpolation between order statistics.
double quantile(std::vector<double> values, double q);
/// Returns the standard deviation of the values, with n - 1 in the denominator; 0 for fewer than two values.
double standard_deviation(const std::vector<double>& values);
/// Returns the standard error of the values' mean.
double standard_error(const std::vector<double>& values);
/// Returns the two-sided 95 % quantile of Student's t; infinite without a degree of freedom.
double student_t95(double degrees_of_freedom);
/// Returns the mean with its 95 % interval by Student's t.
Interval mean_interval(const std::vector<double>& values);

/// Returns the standard error of an estimate by the delete-a-group jackknife (Quenouille 1956), from the
/// estimate's values without each of the equal parts of the data in turn; infinite for fewer than two.
double jackknife_error(const std::vector<double>& without_each);

/// Share of the values that a trimmed mean omits at either end.
constexpr double kTrim = 0.1;
/// Returns the positions of the values that a trimmed mean keeps.
std::vector<size_t> untrimmed_positions(const std::vector<double>& values);
/// Returns the half-width of the 95 % interval of a trimmed mean, from the Winsorised standard deviation and
/// Student's t with the degrees of freedom of the values kept (Tukey and McLaughlin 1963).
double trimmed_half_width(const std::vector<double>& values);

/// Outlier limit: distance from the centre in standard deviations (from the median absolute deviation). It is
/// large, so that genuine extreme values keep their weight in the mean.
constexpr double kOutlierLimit = 12;
/// Moves values outside the outlier limits to the limits. Each row has its own centre, its median; the
/// standard deviation is common to all rows.
void limit_outliers(std::vector<std::vector<double>*> rows);

}  // namespace kjoule
