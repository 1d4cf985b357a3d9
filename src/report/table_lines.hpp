#pragma once
#include <optional>
#include <string>
#include <vector>

#include "importers/imported_table.hpp"

namespace kjoule {

/// The property by which the kernels of an imported table are grouped into lines.
enum class GroupBy { signature, name, operator_call, tier, category };
/// Returns the property for "signature", "name", "operator", "tier" or "category". Throws Error for any other
/// text.
GroupBy group_by(const std::string& text);
/// Returns the text for which group_by() returns `by`. It is also the title of the column.
std::string group_by_text(GroupBy by);

/// Kernels that share one line of a table: those of one GPU, or of all GPUs together.
struct TableLine {
  std::string label;
  std::optional<int64_t> gpu;  ///< the GPU of all kernels of the line, if it is one and is known
  std::vector<const ImportedKernel*> kernels;
  size_t unique_kernels = 0;  ///< number of different signatures; a kernel of two GPUs counts once
  uint64_t launches = 0;
  std::optional<RecordedTimes> times;  ///< nullopt if the times of any kernel are unknown
  bool steady = true;  ///< whether every iteration launches each kernel the same number of times
};

/// Returns the lines of each GPU, sorted by total time; lines without times follow, sorted by number of
/// launches. The lines point into `table`.
std::vector<TableLine> table_lines(const ImportedTable& table, GroupBy by);
/// Returns one line for all GPUs together for each label, in the same order.
std::vector<TableLine> joint_table_lines(const ImportedTable& table, GroupBy by);

}  // namespace kjoule
