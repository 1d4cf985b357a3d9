#pragma once
#include "compare/tables/replayed_table.hpp"
#include "report/kernel_names.hpp"
#include "report/table_column.hpp"

namespace kjoule {

/// A kernel that was replayed from its signature, with the data that its columns need.
struct ReplayedRow {
  const ReplayedTable* table = nullptr;
  const ReplayedKernel* kernel = nullptr;
  const KernelNames* names = nullptr;
};

/// Returns the kernels of the table as rows, which point into both arguments.
std::vector<ReplayedRow> replayed_rows(const ReplayedTable& table, const KernelNames& names);

/// Returns the columns of replayed kernels: of replay_text(), replay_csv() and the kernels in
/// replay_timing().
const std::vector<TableColumn<ReplayedRow>>& replayed_columns();
/// Returns those of them that replay_text() shows, for the help.
TableColumns replay_columns();

}  // namespace kjoule
