#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/json_cursor.hpp"
#include "importers/imported_table.hpp"

namespace kjoule {

/// One kernel of a table: its name, its signature and its launches in the whole table.
struct KernelRow {
  ImportedKernel kernel;
  std::optional<Tier> tier;  ///< the tier that the row itself contains
  std::optional<int64_t> device;
  /// The table's number of iterations, if the row contains it; 0 if the row states that it is unknown.
  std::optional<int64_t> iterations;
  bool counted = true;                    ///< whether the row contains a number of launches
  std::vector<std::string_view> unknown;  ///< the keys that are ignored because they are unknown, as written
  const char* begin = nullptr;            ///< the row's position in the cursor's text, for errors
};

/// The error for the output of `kjoule kernels --by`, which is not a table of kernels, and its remedy.
inline constexpr const char* kContainsGroups = ": contains groups of kernels (output of --by), not kernels";
inline constexpr const char* kGroupsRemedy = "print the kernels again without --by";

/// Reads the next object. Fields may also be inside its objects `signature` and `args`, and have kjoule's
/// names (shared_bytes) or the profiler's ("shared memory"); sizes of a matrix product (M, N, K, batch,
/// dtype) also inside `params`; unknown fields are ignored. Throws Error naming the line for a missing name,
/// a repeated key, numbers that contradict each other, a wrong type, an invalid tier, a count below 1, a grid
/// or block that cannot be launched, and times that are negative, not finite or contradict each other by more
/// than rounding.
KernelRow read_kernel_row(JsonCursor& cursor);

/// Adds a row's launches to `sum`. Throws Error naming the line if the sum exceeds 64 bits.
void add_launches(uint64_t& sum, const KernelRow& row, const JsonCursor& cursor);

}  // namespace kjoule
