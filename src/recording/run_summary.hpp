#pragma once
#include <cstdint>
#include <vector>

#include "recording/run_log.hpp"
#include "recording/run_structure.hpp"

namespace kjoule {

/// Times of some device operations, by CUPTI's clock.
struct OperationTimes {
  uint64_t operations = 0;
  int64_t begin_ns = 0, end_ns = 0;  ///< begin of the first and end of the last one; 0 without operations
  int64_t busy_ns = 0;               ///< time in which at least one operation runs
  int64_t work_ns = 0;               ///< sum of all durations

  int64_t span_ns() const { return end_ns - begin_ns; }
  int64_t gap_ns() const { return span_ns() - busy_ns; }
  int64_t overlap_ns() const { return work_ns - busy_ns; }
};

/// All device operations of one name, grid and block.
struct RunKernel {
  uint32_t name = 0;  ///< number in RunLog::operation_names
  OperationKind kind = OperationKind::kernel;
  uint64_t count = 0;                               ///< number of operations
  int64_t total_ns = 0, least_ns = 0, most_ns = 0;  ///< sum, minimum and maximum of their durations
  uint64_t bytes = 0;                               ///< sum of the sizes of copies or memsets
};

/// All parts of one kind: a loop that the program ran once or several times, or a single pass.
struct KindSummary {
  uint32_t kind = 0;
  uint64_t runs = 0;        ///< number of its parts
  uint64_t first = 0;       ///< number of its first launch
  uint64_t period = 0;      ///< launches per iteration of its first part; 0 for a single pass
  uint64_t iterations = 0;  ///< of all its parts
  uint64_t launches = 0;    ///< of all its parts; a graph is one launch
  bool even = true;         ///< whether all iterations of each part have the same number of launches
  int64_t host_ns = 0;      ///< sum over its parts of the host time from the first launch to the next part's
  OperationTimes times;     ///< busy_ns and work_ns are added up over the parts
};

/// The operations of a whole run, by kernel and by part of its structure.
struct RunSummary {
  OperationTimes times;
  RunStructure structure;
  std::vector<OperationTimes> part_times;  ///< of each part of the structure
  std::vector<RunKernel> kernels;          ///< by total time, longest first
  std::vector<KindSummary> kinds;          ///< by busy time, longest first
  uint64_t launches = 0;                   ///< launches by the host; a graph is one launch
  uint64_t synchronisations = 0;           ///< calls in which the host waited for the device
  /// Operations whose launch is not in the log, for example because its record was dropped.
  uint64_t unmatched_operations = 0;
};

RunSummary summarize(const RunLog& log);

}  // namespace kjoule
