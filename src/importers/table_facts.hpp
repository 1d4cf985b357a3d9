#pragma once
#include <cstdint>
#include <optional>

#include "importers/imported_table.hpp"

namespace kjoule {

/// What the table as a whole says about the sizes of its kernels.
struct TableFacts {
  int per_thread = 4;             ///< elements that a thread of libtorch's elementwise kernels computes
  std::optional<int64_t> hidden;  ///< length of a row that is normalised, if it is known
  /// Multiprocessors of the GPU; if the table does not show them, fewer than GPUs have. libtorch limits some
  /// grids to a multiple of them: a smaller grid has grown with the tensor's size.
  int64_t multiprocessors = 20;
};

/// Returns what the table as a whole says about the sizes of its kernels. A row that is normalised has the
/// length K of most matrix products (by launches) that the table states. If it states none, the length is
/// inferred: the grid of a layer norm gives the number of rows, and that of the additions to its results
/// limits the number of elements to a range. Of the lengths in this range, which is at most a quarter wide,
/// the multiple of the largest power of two is taken, and 4 at least.
TableFacts table_facts(const ImportedTable& table);

}  // namespace kjoule
