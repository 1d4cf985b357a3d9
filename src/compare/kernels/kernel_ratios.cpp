#include "compare/kernels/kernel_ratios.hpp"

#include <cmath>
#include <limits>

namespace kjoule {

namespace {

constexpr size_t kFewestForLine = 3;  ///< smallest number of kernels to which a line is fitted

/// Sums over points (x, y) of weight w, for fitting a straight line by weighted least squares.
struct LineSums {
  double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;

  void add(double x, double y, double weight) {
    w += weight;
    wx += weight * x;
    wy += weight * y;
    wxx += weight * x * x;
    wxy += weight * x * y;
  }
  double determinant() const { return w * wxx - wx * wx; }
};

}  // namespace

KernelRatios::KernelRatios(std::span<const WindowTimes> windows, std::optional<size_t> without) {
  for (size_t window = 0; window < windows.size(); ++window) {
    if (window == without) continue;
    for (const WindowKernel& kernel : windows[window].kernels) add(kernel);
  }
  fit_line();
}

void KernelRatios::add(const WindowKernel& kernel) {
  const auto add_to = [&](Sums& sums) {
    sums.all.launches += kernel.launches;
    sums.all.profiled_s += kernel.profiled_s;
    sums.all.replayed_s += kernel.replayed_s;
    ++sums.windows;
  };
  add_to(kernels_[kernel.kernel]);
  if (!kernel.kernel.is_kernel()) add_to(copies_[kernel.kernel.name]);
}

/// Fits the line. The error of a launch's time is assumed to grow with the square root of this time, so the
/// weight of a kernel's mean time is its number of launches divided by this mean.
void KernelRatios::fit_line() {
  LineSums line;
  double profiled_s = 0, replayed_s = 0;
  size_t kernels = 0;
  for (const auto& [kernel, sums] : kernels_) {
    if (!kernel.is_kernel() || !(sums.all.profiled_s > 0) || !(sums.all.replayed_s > 0)) continue;
    ++kernels;
    profiled_s += sums.all.profiled_s;
    replayed_s += sums.all.replayed_s;
    const double each_s = sums.all.profiled_s / sums.all.launches;
    line.add(each_s, sums.all.replayed_s / sums.all.launches, sums.all.launches / each_s);
  }
  if (profiled_s > 0) slope_ = replayed_s / profiled_s;
  constexpr double kDegenerate = 1e-6;
  if (kernels < kFewestForLine || line.determinant() <= kDegenerate * line.w * line.wxx) return;
  const double slope = (line.w * line.wxy - line.wx * line.wy) / line.determinant();
  const double fixed_s = (line.wy - slope * line.wx) / line.w;
  if (slope <= 0 || fixed_s < 0) return;  // such a line could predict a negative time
  slope_ = slope;
  fixed_s_ = fixed_s;
}

size_t KernelRatios::windows_of(const KernelKey& kernel) const {
  const auto found = kernels_.find(kernel);
  return found == kernels_.end() ? 0 : found->second.windows;
}

double KernelRatios::replayed_s(const ProfiledKernel& profiled) const {
  const auto by_ratio_s = [&](const WindowKernel& all) {
    return profiled.profiled_s * all.replayed_s / all.profiled_s;
  };
  const auto found = kernels_.find(profiled.kernel);
  if (found != kernels_.end() && found->second.all.profiled_s > 0) return by_ratio_s(found->second.all);
  const auto copies = copies_.find(profiled.kernel.name);
  if (!profiled.kernel.is_kernel() && copies != copies_.end() && copies->second.all.profiled_s > 0)
    return by_ratio_s(copies->second.all);
  return by_line_s(profiled);
}

double KernelRatios::distance_from_line() const {
  double squares = 0, time_s = 0;
  size_t kernels = 0;
  for (const auto& [kernel, sums] : kernels_) {
    const double line_s = by_line_s(sums.all);
    if (!kernel.is_kernel() || !(line_s > 0)) continue;
    const double apart = sums.all.replayed_s / line_s - 1;
    squares += sums.all.replayed_s * apart * apart;
    time_s += sums.all.replayed_s;
    ++kernels;
  }
  if (kernels < kFewestForLine || !(time_s > 0)) return std::numeric_limits<double>::infinity();
  return std::sqrt(squares / time_s * static_cast<double>(kernels) / static_cast<double>(kernels - 2));
}

}  // namespace kjoule
