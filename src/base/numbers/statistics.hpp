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
/// Returns the two-sided 95 % quantile of Student's t distribution; infinite without degrees of freedom.
double student_t95(double degrees_of_freedom);
/// Returns the mean with its 95 % interval by Student's t. The half-width is infinite for fewer than two
/// values.
Interval mean_interval(const std::vector<double>& values);

/// Returns the standard error of an estimate by the delete-a-group jackknife (Quenouille 1956). The data are
/// divided into equal parts. `without_each` contains one estimate per part, computed from all data except
/// this part. Returns infinity for fewer than two parts.
double jackknife_error(const std::vector<double>& without_each);

/// Share of the values that a trimmed mean omits at each end.
constexpr double kTrim = 0.1;
/// Returns the positions of the values that a trimmed mean keeps.
std::vector<size_t> untrimmed_positions(const std::vector<double>& values);
/// Returns the half-width of the 95 % interval of a trimmed mean, computed from the Winsorised standard
/// deviation and Student's t with the degrees of freedom of the kept values (Tukey and McLaughlin 1963).
double trimmed_half_width(const std::vector<double>& values);

/// Distance of the outlier limits from the centre, in standard deviations (computed from the median absolute
/// deviation). The distance is large, so that genuine extreme values keep their weight in the mean.
constexpr double kOutlierLimit = 12;
/// Replaces values outside the outlier limits by the nearest limit. The centre of each row is its median; the
/// standard deviation is computed from all rows together.
void limit_outliers(std::vector<std::vector<double>*> rows);

}  // namespace kjoule
