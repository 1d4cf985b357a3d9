#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "compare/run/run_comparison.hpp"

namespace kjoule {

/// A run of which phases or windows were measured by replay, as run_report.json has it.
struct StoredRun {
  std::string title;              ///< the program's command line
  double busy_s = 0, span_s = 0;  ///< times of the run on the GPU by the profiler: busy, and with idle time
  /// Without the spreads of loops, the intervals of wholes, and what verdicts are made from.
  RunComparison replayed;
};

/// Returns the run of a results folder's run_report.json; nothing if there is no such file, or if nothing of
/// the run was to be measured by replay. Throws Error, which names file and field, if the file is damaged.
std::optional<StoredRun> read_stored_run(const std::filesystem::path& file);

}  // namespace kjoule
