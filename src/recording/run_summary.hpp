#pragma once
#include <cstdint>
#include <vector>

#include "recording/run_log.hpp"
#include "recording/run_structure.hpp"

namespace kjoule {

/// Totals of a set of device operations, by CUPTI's clock.
struct OperationTimes {
  uint64_t operations = 0;
  /// Begin of the first and end of the last operation; 0 without operations.
  int64_t begin_ns = 0, end_ns = 0;
  int64_t busy_ns = 0;  ///< time in which at least one operation runs
  int64_t work_ns = 0;  ///< sum of all durations

  int64_t span_ns() const { return end_ns - begin_ns; }
  int64_t gap_ns() const { return span_ns() - busy_ns; }
  int64_t overlap_ns() const { return work_ns - busy_ns; }
};

/// All device operations of one name, grid and block.
struct RunKernel {
  uint32_t name = 0;  ///< index in RunLog::operation_names
  OperationKind kind = OperationKind::kernel;
  uint64_t count = 0;                               ///< number of operations
  int64_t total_ns = 0, least_ns = 0, most_ns = 0;  ///< sum, minimum and maximum of their durations
  uint64_t bytes = 0;                               ///< sum of the sizes of copies or memsets
};

/// Totals of all parts of one kind (RunPart::kind): of a loop that the program ran once or several times, or
/// of a single pass.
struct KindSummary {
  uint32_t kind = 0;
  uint64_t runs = 0;        ///< number of parts of this kind
  uint64_t first = 0;       ///< number of the first launch of the first part
  uint64_t period = 0;      ///< launches per iteration of the first part; 0 for a single pass
  uint64_t iterations = 0;  ///< iterations of all its parts together
  uint64_t launches = 0;    ///< launches of all its parts together; a graph is one launch
  bool even = true;         ///< whether all iterations of each part have the same number of launches
  /// Host time from a part's first launch to the first launch of the part that follows in the run, added up.
  int64_t host_ns = 0;
  OperationTimes times;  ///< busy_ns and work_ns are added up over the parts
};

/// The totals of a run's operations: of the whole run, of each kernel, and of each part of the run's
/// structure.
struct RunSummary {
  OperationTimes times;
  RunStructure structure;
  std::vector<OperationTimes> part_times;  ///< one element for each of structure.parts
  std::vector<RunKernel> kernels;          ///< in order of total_ns, longest first
  std::vector<KindSummary> kinds;          ///< in order of times.busy_ns, longest first
  uint64_t launches = 0;                   ///< number of launches by the host; a graph is one launch
  uint64_t synchronisations = 0;           ///< number of calls in which the host waited for the device
  /// Number of operations whose launch is not in the log, for example because the launch's record was
  /// dropped.
  uint64_t unmatched_operations = 0;
};

RunSummary summarize(const RunLog& log);

}  // namespace kjoule
