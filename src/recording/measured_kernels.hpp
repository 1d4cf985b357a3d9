#pragma once
#include <set>
#include <vector>

#include "recording/kernel_key.hpp"

namespace kjoule {

/// The kernels of a run that were measured by replay, and how much of its kernel time is theirs. Kernels are
/// told apart by name, grid and block here: the profiler's records have no arguments. Of a run without
/// kernels, its copies and memsets count in their place.
class MeasuredKernels {
 public:
  /// Adds the measured kernels of a recording.
  void add(const Recording& recording);
  /// Returns their share of the time of all kernels in the log, from 0 to 1; 0 if it has no operation.
  double share_of(const RunLog& log) const;
  /// Returns, by number of RunLog::operation_names, whether the operation is a measured kernel.
  std::vector<bool> known_in(const RunLog& log) const;

 private:
  std::set<KernelKey> kernels_;
};

}  // namespace kjoule
