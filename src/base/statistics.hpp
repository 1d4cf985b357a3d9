#pragma once
#include <cstddef>
#include <vector>

#include "base/interval.hpp"

namespace kjoule {

double mean(const std::vector<double>& values);
double median(std::vector<double> values);
/// Linear interpolation between order statistics, q in [0, 1].
double quantile(std::vector<double> values, double q);
/// Of the values themselves, n - 1 in the denominator; 0 for fewer than two.
double standard_deviation(const std::vector<double>& values);
/// Of their mean.
double standard_error(const std::vector<double>& values);
/// Two-sided 95 % quantile of Student's t; infinite for no degree of freedom.
double student_t95(double degrees_of_freedom);
/// Mean with t interval.
Interval mean_interval(const std::vector<double>& values);

/// Standard error of an estimate from its values without each of the equal parts of the data in turn (the
/// delete-a-group jackknife, Quenouille 1956); infinite for fewer than two.
double jackknife_error(const std::vector<double>& without_each);

/// Share of values left out at either end of a trimmed mean.
constexpr double kTrim = 0.1;
/// Positions of the values that a trimmed mean keeps.
std::vector<size_t> kept_by_trimming(const std::vector<double>& values);
/// Half-width of the 95 % interval of a trimmed mean: Winsorised standard deviation, Student's t with the
/// degrees of freedom of the values kept (Tukey and McLaughlin 1963).
double trimmed_half_width(const std::vector<double>& values);

/// Rejection of disturbances: a value further than this many standard deviations (from the median absolute
/// deviation) from its centre is pulled to the fence. Far out, so that honest tails keep their mean.
constexpr double kFence = 12;
/// Each row has its own centre (its median); the scale is common to all rows.
void pull_to_fences(std::vector<std::vector<double>*> rows);

}  // namespace kjoule
