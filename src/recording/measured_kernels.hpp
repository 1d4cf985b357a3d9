#pragma once
#include <set>
#include <vector>

#include "recording/kernel_key.hpp"

namespace kjoule {

/// The kernels of a run that were measured by replay. They are distinguished by name, grid and block only,
/// because the profiler's records contain no arguments. In a run without kernels, copies and memsets count as
/// kernels.
class MeasuredKernels {
 public:
  /// Adds the measured kernels of a recording.
  void add(const Recording& recording);
  /// Returns the GPU time of the measured kernels as a share, from 0 to 1, of the GPU time of all kernels in
  /// the log; 0 if the log contains no operation.
  double share_of(const RunLog& log) const;
  /// Returns for each element of RunLog::operation_names whether the element names a measured kernel.
  std::vector<bool> known_in(const RunLog& log) const;

 private:
  std::set<KernelKey> kernels_;
};

}  // namespace kjoule
