#pragma once
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "recording/kernel_key.hpp"

namespace kjoule {

/// The launches of one kernel in a window or in a run: their number, and their time together.
struct ProfiledKernel {
  KernelKey kernel;
  double launches = 0;
  double profiled_s = 0;  ///< by the profiler, as the program ran them
};

/// The launches of one kernel in a window, with their time in context, too.
struct WindowKernel : ProfiledKernel {
  double replayed_s = 0;
};

/// The kernels of a window that was measured by replay.
struct WindowTimes {
  double whole_s = 0;
  double instrument_s = 0;  ///< JudgedSum::instrument_s
  double other_s = 0;       ///< replayed time of launches that have no time by the profiler
  std::vector<WindowKernel> kernels;
};

/// The relation between replayed and profiled times of kernels, from windows. A kernel that is in a window
/// has the ratio of its replayed to its profiled time in all windows. Copies and memsets whose size is in no
/// window have the ratio of those of other sizes with the same name: the profiler's time of a copy of
/// pageable memory contains work of the host. For all others, the replayed time of one launch is a straight
/// line of its profiled time: a fixed part, because the profiler leaves out the time that a launch waits for
/// the one before it, and a slope.
class KernelRatios {
 public:
  /// Takes the ratios from all windows, or from all but the one in place `without`.
  explicit KernelRatios(std::span<const WindowTimes> windows, std::optional<size_t> without = {});

  /// Returns the number of windows that contain the kernel.
  size_t windows_of(const KernelKey& kernel) const;
  /// Returns the replayed time of launches whose profiled time is known, s.
  double replayed_s(const ProfiledKernel& profiled) const;
  /// Returns the same by the line alone.
  double by_line_s(const ProfiledKernel& profiled) const {
    return fixed_s_ * profiled.launches + slope_ * profiled.profiled_s;
  }
  /// Returns how far kernels are from the line: the root of the mean square, weighted by time, as a share;
  /// infinite for fewer than three kernels.
  double distance_from_line() const;

 private:
  struct Sums {
    WindowKernel all;
    size_t windows = 0;
  };
  void add(const WindowKernel& kernel);
  void fit_line();

  std::map<KernelKey, Sums> kernels_;
  std::map<std::string, Sums> copies_;  ///< and memsets, of all sizes, by name
  double fixed_s_ = 0, slope_ = 1;
};

}  // namespace kjoule
