#pragma once
#include <set>
#include <vector>

#include "recording/kernel_key.hpp"

namespace kjoule {

/// The kernels of a run that were measured by replay, and their share of the run's kernel time. Here kernels
/// are distinguished by name, grid and block only, because the profiler's records have no arguments. In a run
/// without kernels, copies and memsets count as kernels.
class MeasuredKernels {
 public:
  /// Adds the measured kernels of a recording.
  void add(const Recording& recording);
  /// Returns the share, from 0 to 1, of the measured kernels in the time of all kernels in the log; 0 if the
  /// log contains no operation.
  double share_of(const RunLog& log) const;
  /// Returns for each element of RunLog::operation_names whether it names a measured kernel.
  std::vector<bool> known_in(const RunLog& log) const;

 private:
  std::set<KernelKey> kernels_;
};

}  // namespace kjoule
