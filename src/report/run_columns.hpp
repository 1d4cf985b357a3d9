#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/kernel_names.hpp"
#include "report/run_reports.hpp"
#include "report/table_column.hpp"

namespace kjoule {

/// The rank whose operations a row counts. All members are empty for a program of one process.
struct RankOfRow {
  std::string shown;             ///< as the screen shows it: the rank, the process id, or "all"
  std::optional<int> rank{};     ///< rank that the program's launcher states
  std::optional<int> process{};  ///< process id
};

/// A kernel of an observed run with the data that its columns need.
struct ObservedKernelRow {
  const LoggedName* name = nullptr;
  const RunKernel* kernel = nullptr;
  const KernelNames* names = nullptr;
  int64_t work_ns = 0;  ///< sum of the durations of all operations of the run, or of the rank
  Tier tier = Tier::unknown;
  RankOfRow rank{};
};
/// Returns the columns of the kernels of a whole run.
const std::vector<TableColumn<ObservedKernelRow>>& observed_kernel_columns();
/// Returns a row for each kernel of the run, in the order of the summary. They point into the arguments.
std::vector<ObservedKernelRow> observed_kernel_rows(const ShownRun& run, KernelRules& rules,
                                                    const KernelNames& names);

/// The parts of one kind of an observed run, with the data that their columns need.
struct RunKindRow {
  const KindSummary* kind = nullptr;
  const RunSummary* of = nullptr;
};
/// Returns the columns of the parts of a whole run.
const std::vector<TableColumn<RunKindRow>>& run_kind_columns();

}  // namespace kjoule
