#include "compare/run/run_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/numbers/statistics.hpp"

namespace kjoule {

namespace {

constexpr size_t kFewestToLeaveOut = 3;
constexpr double kUnlimited = std::numeric_limits<double>::infinity();

double total_s(std::span<const ProfiledKernel> observed, const KernelRatios& ratios) {
  double sum_s = 0;
  for (const ProfiledKernel& kernel : observed) sum_s += ratios.replayed_s(kernel);
  return sum_s;
}

/// Returns the half-width of an estimate by the jackknife: Student's t times the standard error.
/// `without_each` has the value of the estimate without each window in turn.
double half_width(const std::vector<double>& without_each) {
  if (without_each.size() < 2) return kUnlimited;
  return student_t95(static_cast<double>(without_each.size() - 1)) * jackknife_error(without_each);
}

/// Returns the instrument's part of the windows' intervals, as a share of their time.
double instrument_share(std::span<const WindowTimes> windows) {
  double instrument_s = 0, whole_s = 0;
  for (const WindowTimes& window : windows) {
    instrument_s += window.instrument_s;
    whole_s += window.whole_s;
  }
  return whole_s > 0 ? instrument_s / whole_s : 0;
}

/// Returns for each window the ratios from all other windows.
std::vector<KernelRatios> ratios_without_each(std::span<const WindowTimes> windows) {
  std::vector<KernelRatios> ratios;
  for (size_t window = 0; window < windows.size(); ++window) ratios.emplace_back(windows, window);
  return ratios;
}

class RunEstimator {
 public:
  RunEstimator(std::span<const ProfiledKernel> observed, std::span<const WindowTimes> windows)
      : observed_(observed),
        windows_(windows),
        ratios_(windows),
        without_(ratios_without_each(windows)),
        instrument_(instrument_share(windows)),
        from_line_(2 * ratios_.distance_from_line()) {}

  RunEstimate estimate() const {
    RunEstimate run;
    run.windows = windows_.size();
    for (const ProfiledKernel& kernel : observed_) {
      run.kernels.push_back(kernel_estimate(kernel));
      run.profiled_s += kernel.profiled_s;
    }
    run.total_s = total(run.kernels);
    run.scaled_share = scaled_s(run.kernels) / run.total_s.value;
    std::ranges::stable_sort(run.kernels, std::ranges::greater{},
                             [](const KernelEstimate& one) { return one.replayed_s.value; });
    run.left_out = leave_windows_out(windows_);
    return run;
  }

 private:
  static double scaled_s(const std::vector<KernelEstimate>& kernels) {
    double sum_s = 0;
    for (const KernelEstimate& kernel : kernels)
      if (kernel.windows == 0) sum_s += kernel.replayed_s.value;
    return sum_s;
  }

  KernelEstimate kernel_estimate(const ProfiledKernel& kernel) const {
    const double value_s = ratios_.replayed_s(kernel);
    const size_t windows = ratios_.windows_of(kernel.kernel);
    return {kernel, {value_s, scatter_s(kernel, value_s, windows) + instrument_ * value_s}, windows};
  }

  /// Returns the half-width of a kernel's time from the differences between windows. For a kernel in fewer
  /// than two windows, it is from_line_, the typical distance of kernels from the line.
  double scatter_s(const ProfiledKernel& kernel, double value_s, size_t windows) const {
    if (windows < 2) return from_line_ * value_s;
    std::vector<double> values_s;
    for (size_t window = 0; window < windows_.size(); ++window)
      if (contains(windows_[window], kernel.kernel)) values_s.push_back(without_[window].replayed_s(kernel));
    return half_width(values_s);
  }

  static bool contains(const WindowTimes& window, const KernelKey& kernel) {
    return std::ranges::any_of(window.kernels, [&](const WindowKernel& one) { return one.kernel == kernel; });
  }

  Interval total(const std::vector<KernelEstimate>& kernels) const {
    const double value_s = total_s(observed_, ratios_);
    std::vector<double> values_s;
    for (const KernelRatios& ratios : without_) values_s.push_back(total_s(observed_, ratios));
    const double unmeasured_s = scaled_s(kernels);
    const double line_s = unmeasured_s > 0 ? from_line_ * unmeasured_s : 0;
    return {value_s, half_width(values_s) + instrument_ * value_s + line_s};
  }

  std::span<const ProfiledKernel> observed_;
  std::span<const WindowTimes> windows_;
  KernelRatios ratios_;
  std::vector<KernelRatios> without_;
  double instrument_;  ///< half-width from the instrument, as a share of the time
  double from_line_;   ///< half-width of a kernel that is in no window, as a share of its time
};

double square(double value) {
  return value * value;
}

}  // namespace

std::optional<RunEstimate> estimate_run(std::span<const ProfiledKernel> observed,
                                        std::span<const WindowTimes> windows) {
  const bool has_times = std::ranges::any_of(windows, [](const WindowTimes& window) {
    return std::ranges::any_of(
        window.kernels, [](const WindowKernel& one) { return one.profiled_s > 0 && one.replayed_s > 0; });
  });
  if (!has_times || observed.empty()) return {};
  return RunEstimator(observed, windows).estimate();
}

std::optional<LoopMean> mean_iteration(const RunEstimate& run, const IterationSpread& loop) {
  if (loop.mean_ns == 0 || !(run.profiled_s > 0)) return {};
  const double mean_s = 1e-9 * static_cast<double>(loop.mean_ns) / run.profiled_s;
  return LoopMean{loop.iterations,
                  {mean_s * run.total_s.value, mean_s * run.total_s.half_width},
                  1e-9 * static_cast<double>(loop.low_ns),
                  1e-9 * static_cast<double>(loop.high_ns)};
}

std::optional<LeftOutWindows> leave_windows_out(std::span<const WindowTimes> windows) {
  const size_t count = windows.size();
  if (count < kFewestToLeaveOut) return {};
  std::vector<double> errors;
  for (size_t window = 0; window < count; ++window) {
    const KernelRatios others(windows, window);
    double predicted_s = windows[window].other_s;
    for (const WindowKernel& kernel : windows[window].kernels) predicted_s += others.replayed_s(kernel);
    errors.push_back(predicted_s / windows[window].whole_s - 1);
  }
  LeftOutWindows left_out{count, mean(errors), 0, 0};
  double squares = 0;
  for (const double error : errors) squares += square(error);
  left_out.rms_error = std::sqrt(squares / static_cast<double>(count));
  const double others = static_cast<double>(count - 1);
  const double factor = student_t95(others);
  for (size_t window = 0; window < count; ++window) {
    const double scatter = std::sqrt((squares - square(errors[window])) / others);
    const double instrument = windows[window].instrument_s / windows[window].whole_s;
    if (std::abs(errors[window]) <= factor * scatter + instrument) ++left_out.inside;
  }
  return left_out;
}

}  // namespace kjoule
