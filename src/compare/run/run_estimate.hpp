#pragma once
#include <optional>
#include <span>
#include <vector>

#include "base/numbers/interval.hpp"
#include "compare/kernels/kernel_ratios.hpp"
#include "recording/loop_iterations.hpp"

namespace kjoule {

/// The estimated time in context of all observed launches of one kernel in a run.
struct KernelEstimate {
  ProfiledKernel observed;
  Interval replayed_s;
  /// Number of windows with this kernel; if 0, the time is the kernel's profiled time, scaled by
  /// KernelRatios.
  size_t windows = 0;
};

/// The result of a test in which the whole of each window is predicted from all other windows.
struct LeftOutWindows {
  size_t windows = 0;
  double mean_error = 0, rms_error = 0;  ///< errors of the predicted wholes, as shares of the measured wholes
  size_t inside = 0;  ///< number of windows whose measured whole is in the interval of the predicted whole
};

/// The mean iteration of a loop whose iterations differ: its mean GPU time by the profiler, times the run's
/// ratio of replayed to profiled time.
struct LoopMean {
  uint64_t iterations = 0;       ///< number of iterations that the profiler logged
  Interval time_s;               ///< mean time, without launch gaps
  double low_s = 0, high_s = 0;  ///< 10 % and 90 % quantiles of the iterations' GPU times, by the profiler
};

/// The estimated time in context of all observed launches of a run: the sum over kernels of count x mean.
struct RunEstimate {
  size_t windows = 0;                        ///< number of measured windows
  Interval total_s;                          ///< estimated time
  double profiled_s = 0;                     ///< time of the same launches by the profiler
  double scaled_share = 0;                   ///< share of total_s that belongs to kernels in no window
  std::vector<KernelEstimate> kernels;       ///< in descending order of time
  std::optional<LoopMean> mean_iteration{};  ///< mean iteration of the measured loop
  std::optional<LeftOutWindows> left_out;    ///< nothing for fewer than three windows
};

/// Returns the estimate of a run from its windows; nothing if no window has a kernel with a replayed and a
/// profiled time. Windows are treated as clusters of launches: the precision depends on the number of
/// windows, not on the number of launches. The half-width of the total is the sum of three parts:
/// - the standard error by the jackknife over windows, times Student's t with windows - 1 degrees of freedom
///   (infinite for one window);
/// - the instrument's part of the windows' intervals, as a share;
/// - for kernels in no window, twice the distance of kernels from the line of KernelRatios.
std::optional<RunEstimate> estimate_run(std::span<const ProfiledKernel> observed,
                                        std::span<const WindowTimes> windows);

/// Returns the mean iteration of a loop of the run; nothing if the loop's mean profiled time is not known.
std::optional<LoopMean> mean_iteration(const RunEstimate& run, const IterationSpread& loop);

/// Predicts the whole of each window from all other windows; returns nothing for fewer than three windows.
/// The half-width of a prediction is the root mean square of the errors of the other windows, times Student's
/// t with as many degrees of freedom as there are other windows, plus the instrument's part. Each window must
/// have kernels.
std::optional<LeftOutWindows> leave_windows_out(std::span<const WindowTimes> windows);

}  // namespace kjoule
