#pragma once
#include <cstdint>
#include <optional>

#include "importers/imported_table.hpp"

namespace kjoule {

/// Facts on the sizes of kernels that follow from the table as a whole.
struct TableFacts {
  int per_thread = 4;  ///< number of elements that a thread of libtorch's elementwise kernels computes
  std::optional<int64_t> hidden;  ///< length of a normalised row, in elements; nothing if not known
  /// Number of the GPU's multiprocessors; if the table does not show it, less than GPUs have. libtorch limits
  /// some grids to a multiple of this number. A grid below this limit shows the tensor's size.
  int64_t multiprocessors = 20;
  /// Elements of the longest scan of 8-byte integers, as if all its blocks were full; nothing if not known.
  std::optional<int64_t> scanned{};
  /// Whether the kernels ran on an AMD GPU: the tool or the name of a kernel shows it. What is known of
  /// libtorch's kernels for CUDA does not apply to them.
  bool is_of_amd = false;
};

/// Returns the facts on the sizes of a table's kernels. The length of a normalised row (`hidden`) is the K of
/// most matrix products (by launches) that the table states. If it states none, the length is inferred: the
/// grid of a layer norm is the number of rows, and the grid of the additions to its results limits the number
/// of elements to a range, which is at most a quarter wide. Of the lengths in this range, the multiple of the
/// largest power of two (at least 4) is used.
TableFacts table_facts(const ImportedTable& table);

}  // namespace kjoule
