#pragma once
#include <optional>
#include <span>
#include <vector>

#include "base/numbers/interval.hpp"
#include "compare/kernel_ratios.hpp"
#include "recording/loop_iterations.hpp"

namespace kjoule {

/// The estimate of one kernel's time in a run: of all its launches that were observed.
struct KernelEstimate {
  ProfiledKernel observed;
  Interval replayed_s;
  size_t windows = 0;  ///< that contain it; 0: its time by the profiler was scaled, as that of other kernels
};

/// The result of a test in which each window is predicted from the others.
struct LeftOutWindows {
  size_t windows = 0;
  double mean_error = 0, rms_error = 0;  ///< of the predicted whole, as shares of the measured whole
  size_t inside = 0;                     ///< windows whose whole is inside the interval of its prediction
};

/// The mean iteration of a loop whose iterations differ: its mean GPU time by the profiler, times the ratio
/// of replayed to profiled time of the run.
struct LoopMean {
  uint64_t iterations = 0;       ///< that the profiler saw
  Interval time_s;               ///< without launch gaps
  double low_s = 0, high_s = 0;  ///< quantiles of 10 and 90 %, by the profiler
};

/// The time of all launches of a run that were observed, at the times that they take in context: for each
/// kernel, count x mean.
struct RunEstimate {
  size_t windows = 0;
  Interval total_s;
  double profiled_s = 0;                     ///< the same launches by the profiler
  double scaled_share = 0;                   ///< of the total, of kernels in no window
  std::vector<KernelEstimate> kernels;       ///< longest first
  std::optional<LoopMean> mean_iteration{};  ///< of the loop that was measured
  std::optional<LeftOutWindows> left_out;    ///< with three windows or more
};

/// Estimates a run from its windows, which are taken as clusters of launches: their number decides how much
/// the estimate is known, however many launches they have. The interval of the total has three parts, which
/// are added: Student's t with windows - 1 degrees of freedom times the standard error by the jackknife over
/// windows (infinite for one window); the instrument's part of the windows' intervals, as a share; and for
/// kernels in no window twice the distance of kernels from the line of KernelRatios. Returns nothing if no
/// window has a kernel with both times.
std::optional<RunEstimate> estimate_run(std::span<const ProfiledKernel> observed,
                                        std::span<const WindowTimes> windows);

/// Returns the mean iteration of a loop of the run; nothing if its mean by the profiler is not known.
std::optional<LoopMean> mean_iteration(const RunEstimate& run, const IterationSpread& loop);

/// Predicts the whole of each window from the others; nothing for fewer than three windows. The half-width of
/// a prediction is the root mean square of the others' errors, times Student's t with as many degrees of
/// freedom as there are others, plus the instrument's part. Windows must have kernels.
std::optional<LeftOutWindows> leave_windows_out(std::span<const WindowTimes> windows);

}  // namespace kjoule
