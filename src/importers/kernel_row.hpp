#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
  /// The smallest and largest number of iterations that agree with `launches` and `count`, if the row
  /// contains both.
  std::optional<std::pair<double, double>> possible_iterations;
  /// The key of a time that was not read, because it may be that of one launch or of all; otherwise empty.
  std::string_view unclear_time;
  bool counted = true;                    ///< whether the row contains a number of launches
  bool is_timed_alone = false;            ///< whether the kernel was timed in isolation (benchmark_runs)
  std::vector<std::string_view> unknown;  ///< the row's unknown keys, which are ignored
  const char* begin = nullptr;            ///< the row's position in the cursor's text, for errors
};

/// Cause and remedy of the error for the output of `kjoule kernels --by`, which is not a table of kernels.
inline constexpr const char* kContainsGroups = ": contains groups of kernels (output of --by), not kernels";
inline constexpr const char* kGroupsRemedy = "print the kernels again without --by";

/// Reads the next object. Fields have kjoule's names (shared_bytes) or the profiler's ("shared memory"); for
/// numbers of launches and times, those of other tools, too (read_kernel_heading()). Fields may also be
/// inside the object's members `signature` and `args`. The sizes of a matrix product (M, N, K, batch, dtype)
/// may also be inside `params`. Unknown fields are ignored. Throws Error with the line for a missing name, a
/// repeated key, a wrong type, an invalid tier, a count below 1, a grid or block that cannot be launched, a
/// negative or infinite time, numbers that contradict each other, and times that contradict each other by
/// more than rounding.
KernelRow read_kernel_row(JsonCursor& cursor);

/// Adds a row's launches to `sum`. Throws Error with the row's line if the sum exceeds 64 bits.
void add_launches(uint64_t& sum, const KernelRow& row, const JsonCursor& cursor);

}  // namespace kjoule
