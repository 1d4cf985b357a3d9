#pragma once
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "recording/kernel_key.hpp"

namespace kjoule {

/// The launches of one kernel in a replay window or in a run: their number, and their total time.
struct ProfiledKernel {
  KernelKey kernel;
  double launches = 0;
  double profiled_s = 0;  ///< total time of the launches in the program, by the profiler
};

/// The launches of one kernel in a replay window, with their total time in context.
struct WindowKernel : ProfiledKernel {
  double replayed_s = 0;  ///< total time in context
};

/// The kernels of a replay window.
struct WindowTimes {
  double whole_s = 0;
  double instrument_s = 0;  ///< JudgedSum::instrument_s
  double other_s = 0;       ///< replayed time of launches that the profiler did not time
  std::vector<WindowKernel> kernels;
};

/// Converts profiled times of kernels to replayed times. The ratios come from kernels in replay windows, for
/// which both times are known:
/// - The time of a kernel that is in a window is multiplied by the kernel's ratio of replayed to profiled
/// time
///   in all windows.
/// - The time of a copy or memset whose size is in no window is multiplied by the ratio of the copies or
///   memsets with the same name, because the profiler's time of a copy of pageable memory contains work of
///   the host.
/// - For all other kernels, the replayed time of one launch is a linear function of its profiled time. The
///   function has a constant part, because the profiler omits the time that a launch waits for its
///   predecessor.
class KernelRatios {
 public:
  /// Finds the ratios in all windows, or in all except the window with the index `without`.
  explicit KernelRatios(std::span<const WindowTimes> windows, std::optional<size_t> without = {});

  /// Returns the number of windows that contain the kernel.
  size_t windows_of(const KernelKey& kernel) const;
  /// Returns the replayed time of a kernel's launches, predicted from their profiled time, s.
  double replayed_s(const ProfiledKernel& profiled) const;
  /// Returns the replayed time that the linear function predicts, s, even for a kernel that is in a window.
  double by_line_s(const ProfiledKernel& profiled) const {
    return fixed_s_ * profiled.launches + slope_ * profiled.profiled_s;
  }
  /// Returns the distance of the windows' kernels from the line: the root mean square, weighted by time, as a
  /// share of the line's time; infinite for fewer than three kernels.
  double distance_from_line() const;

 private:
  struct Sums {
    WindowKernel all;
    size_t windows = 0;
  };
  void add(const WindowKernel& kernel);
  void fit_line();

  std::map<KernelKey, Sums> kernels_;
  std::map<std::string, Sums> copies_;  ///< copies and memsets of all sizes, by name
  double fixed_s_ = 0, slope_ = 1;
};

}  // namespace kjoule
