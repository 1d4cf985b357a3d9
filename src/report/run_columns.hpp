#pragma once
#include <vector>

#include "report/kernel_names.hpp"
#include "report/run_reports.hpp"
#include "report/table_column.hpp"

namespace kjoule {

/// A kernel of an observed run with the data that its columns need.
struct ObservedKernelRow {
  const ShownRun* run = nullptr;
  const RunKernel* kernel = nullptr;
  const KernelNames* names = nullptr;
  Tier tier = Tier::unknown;
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
