#pragma once
#include <string>
#include <vector>

namespace kjoule {

/// What the column of tiers shows, in all tables of kernels.
inline constexpr const char* kTierMeaning =
    "origin of the kernel: 1 CUDA runtime, 2 vendor library, 3 framework, or unknown";

/// A column of a printed table, as the help of its command explains it.
struct Column {
  std::string head;
  std::string meaning;  ///< with the unit
};

/// The columns of one printed table.
struct TableColumns {
  std::string table;  ///< name of the table in the help, such as "the table of kernels"
  std::vector<Column> columns;
};

/// Return the columns of the tables of a comparison, and of the whole run of a program.
std::vector<TableColumns> comparison_columns();
std::vector<TableColumns> run_columns();
/// Return the columns of kernels in isolation, and of a recording's kernels.
TableColumns isolated_columns();
TableColumns kernels_columns();

}  // namespace kjoule
