#pragma once
#include "report/kernel_names.hpp"
#include "report/table_column.hpp"
#include "report/table_lines.hpp"

namespace kjoule {

/// A line of the table of an imported trace or kernel table, with the data that its columns need.
struct ImportedLine {
  const ImportedTable* table = nullptr;
  const KernelNames* names = nullptr;
  TableLine line;
  /// What kernel_to_json() returns for the line's kernel, or for all launches of its kernels.
  nlohmann::ordered_json fields;
  bool has_several_gpus = false;  ///< whether the table does
  bool is_of_all_gpus = false;    ///< whether the line is of all GPUs of such a table together
};

/// Returns the lines of the table, of each GPU separately. They point into both arguments.
std::vector<ImportedLine> imported_lines(const ImportedTable& table, GroupBy by, const KernelNames& names);
/// Returns the lines of all GPUs together; none if the table has only one GPU.
std::vector<ImportedLine> lines_of_all_gpus(const ImportedTable& table, GroupBy by, const KernelNames& names);
/// Returns the lines of a joint table over GPUs: each line of all GPUs, followed by those of each GPU. A line
/// of a single GPU stands alone.
std::vector<ImportedLine> joint_imported_lines(const ImportedTable& table, GroupBy by,
                                               const KernelNames& names);

/// Returns the columns of an imported table whose kernels are grouped by this property.
std::vector<TableColumn<ImportedLine>> imported_columns(GroupBy by);
/// Returns those of them that imported_console() shows, for all properties, for the help.
TableColumns imported_columns();

/// Returns the number of launches in one iteration as text; an empty one if the number of iterations is
/// unknown.
std::string count_cell(const ImportedTable& table, uint64_t launches);
/// Returns whether the number of the line's launches differs between iterations.
bool differs_between_iterations(const ImportedLine& row);

}  // namespace kjoule
