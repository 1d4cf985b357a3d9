#include "prediction/interval_width.hpp"

#include <algorithm>
#include <cmath>

namespace kjoule {

namespace {

constexpr double kCovered = 0.9;  ///< share of measurements that an interval should contain

}  // namespace

double half_width(std::vector<double> residuals) {
  for (double& residual : residuals) residual = std::abs(residual);
  std::sort(residuals.begin(), residuals.end());
  const auto rank = static_cast<size_t>(std::ceil(kCovered * static_cast<double>(residuals.size() + 1)));
  return residuals[std::min(std::max<size_t>(rank, 1), residuals.size()) - 1];
}

double mean_percent(const std::vector<double>& residuals) {
  double sum = 0;
  for (const double residual : residuals) sum += std::abs(std::expm1(-residual));
  return 100 * sum / static_cast<double>(residuals.size());
}

double least_half_width_outside() {
  // The mean error on the largest fifth is 4.4 % in the median of the operators of the A100
  // (bench/regressors), and 90 % of normally distributed errors are below 2.06 times their mean.
  return std::log1p(2.06 * 0.044);
}

}  // namespace kjoule
