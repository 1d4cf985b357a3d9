#include "base/numbers/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>

namespace kjoule {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double quantile(std::vector<double> values, double q) {
  const double at = q * static_cast<double>(values.size() - 1);
  const auto low = static_cast<size_t>(at);
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(low), values.end());
  const double below = values[low];
  if (low + 1 == values.size()) return below;
  const double above = *std::min_element(values.begin() + static_cast<std::ptrdiff_t>(low) + 1, values.end());
  return below + (at - static_cast<double>(low)) * (above - below);
}

double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

double standard_deviation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double standard_error(const std::vector<double>& values) {
  return standard_deviation(values) / std::sqrt(static_cast<double>(values.size()));
}

double student_t95(double degrees_of_freedom) {
  if (degrees_of_freedom <= 0) return std::numeric_limits<double>::infinity();
  return boost::math::quantile(boost::math::students_t(degrees_of_freedom), 0.975);
}

Interval mean_interval(const std::vector<double>& values) {
  if (values.size() < 2) return {mean(values), std::numeric_limits<double>::infinity()};
  return {mean(values), student_t95(static_cast<double>(values.size()) - 1) * standard_error(values)};
}

double jackknife_error(const std::vector<double>& without_each) {
  if (without_each.size() < 2) return std::numeric_limits<double>::infinity();
  const auto parts = static_cast<double>(without_each.size());
  return standard_deviation(without_each) * (parts - 1) / std::sqrt(parts);
}

namespace {

size_t trimmed_each_end(size_t count) {
  return static_cast<size_t>(kTrim * static_cast<double>(count));
}

}  // namespace

std::vector<size_t> untrimmed_positions(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  const auto cut = static_cast<std::ptrdiff_t>(trimmed_each_end(values.size()));
  std::vector<size_t> kept(order.begin() + cut, order.end() - cut);
  std::sort(kept.begin(), kept.end());
  return kept;
}

double trimmed_half_width(const std::vector<double>& values) {
  std::vector<double> winsorised = values;
  std::sort(winsorised.begin(), winsorised.end());
  const size_t cut = trimmed_each_end(values.size());
  const auto n = static_cast<double>(values.size());
  const double low = winsorised[cut];
  const double high = winsorised[winsorised.size() - 1 - cut];
  for (double& value : winsorised) value = std::clamp(value, low, high);
  const double kept = n - 2 * static_cast<double>(cut);
  return student_t95(kept - 1) * standard_deviation(winsorised) * std::sqrt(n) / kept;
}

void limit_outliers(std::vector<std::vector<double>*> rows) {
  constexpr double kNormalMad =
      1.4826;  // ratio of standard deviation to median absolute deviation of a normal distribution
  std::vector<double> centres;
  std::vector<double> deviations;
  for (const auto* row : rows) {
    centres.push_back(median(*row));
    for (const double value : *row) deviations.push_back(std::abs(value - centres.back()));
  }
  const double reach = kOutlierLimit * kNormalMad * median(deviations);
  if (!(reach > 0)) return;
  for (size_t r = 0; r < rows.size(); ++r)
    for (double& value : *rows[r]) value = std::clamp(value, centres[r] - reach, centres[r] + reach);
}

}  // namespace kjoule
