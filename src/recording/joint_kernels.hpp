#pragma once
#include <vector>

#include "recording/run_log.hpp"
#include "recording/run_summary.hpp"

namespace kjoule {

/// The kernels of the processes of one program, under common numbers.
struct JointKernels {
  std::vector<LoggedName> names;  ///< by RunKernel::name of all kernels below
  std::vector<RunKernel> all;     ///< totals over all processes, in order of total_ns, longest first
  /// Totals of each process: [process][index in `all`]. The count is 0 if the process did not run the kernel.
  std::vector<std::vector<RunKernel>> of_process;
};

/// Joins the kernels of several processes, of each its log and the summary of this log. Operations of two
/// processes belong to one kernel if their names, grids, blocks, shared memory and kinds are equal.
JointKernels join_kernels(const std::vector<const RunLog*>& logs,
                          const std::vector<const RunSummary*>& summaries);

}  // namespace kjoule
