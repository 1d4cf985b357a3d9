#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// The contents of a column in another tool's table.
enum class ColumnKind {
  field,      ///< a field of read_kernel_row()
  name,       ///< the kernel's name
  number,     ///< a number of launches or a time, whose heading read_kernel_row() understands
  grid_part,  ///< one of three columns with a grid or block
  extent,     ///< a grid or block, "(16, 1, 1)" or "16 1 1"
  device,     ///< a device, "0" or "NVIDIA A100 (0)"
  passed      ///< any other contents, which kjoule does not use
};

/// The contents of a column, and the field of read_kernel_row() that it fills.
struct ForeignColumn {
  ColumnKind kind = ColumnKind::field;
  std::string field;
};

/// Returns whether a column with this header contains the names of kernels: "name", "kernel" or "kernel name"
/// with any capitals, spaces and underscores.
bool is_name_column(std::string_view column);

/// Returns the contents of each column, by its header. Known are the columns of kjoule, of profilers and of
/// common scripts. Any other column is a field with the column's name.
std::vector<ForeignColumn> foreign_columns(const std::vector<std::string>& columns);

/// Returns the kernel's name without a tool's decoration: "[CUDA memcpy HtoD]" and "CopyHostToDevice" are
/// "Memcpy HtoD", and "gemm.kd" is "gemm".
std::string plain_kernel_name(const std::string& name);

}  // namespace kjoule
