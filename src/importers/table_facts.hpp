#pragma once
#include <cstdint>
#include <optional>

#include "importers/imported_table.hpp"

namespace kjoule {

/// What the table as a whole says about the sizes of its kernels.
struct TableFacts {
  int per_thread = 4;             ///< elements that a thread of libtorch's elementwise kernels computes
  std::optional<int64_t> hidden;  ///< elements in a row of the model's vectors, if the table tells
  /// Multiprocessors of the GPU, or fewer: grids that grow with the sizes end at a multiple of them.
  int64_t multiprocessors = 20;
};

/// Returns what the table as a whole says about the sizes of its kernels. A row of the model's vectors is as
/// long as the K of most matrix products (by launches) that the table states. If it states none, the length
/// is inferred from the rows of layer norms and the elements of the additions to their results: it is the
/// roundest multiple of 4 for which as many blocks are needed, if these leave a range of at most a quarter.
TableFacts table_facts(const ImportedTable& table);

}  // namespace kjoule
