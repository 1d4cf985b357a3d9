#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_cursor.hpp"
#include "importers/imported_table.hpp"

namespace kjoule {

/// One kernel of a table: its name, its signature and how often it was launched over the whole table.
struct KernelRow {
  ImportedKernel kernel;
  std::optional<Tier> tier;  ///< that the row itself tells
  std::optional<int64_t> device;
  /// Of the table, where a row says it: 0 when it says that they are unknown.
  std::optional<int64_t> iterations;
  bool counted = true;                    ///< it says how often it was launched
  std::vector<std::string_view> unknown;  ///< its keys that are passed over, as written
  const char* begin = nullptr;            ///< where it stands in the cursor's text, for errors about it
};

/// What `kjoule kernels --by` prints is no table of kernels.
inline constexpr const char* kHoldsGroups = ": holds groups of kernels, as --by makes them, and no kernels";
inline constexpr const char* kLeaveByOut = "leave --by out where it is printed";

/// Consumes an object. Fields may also stand in its objects `signature` and `args`, under kjoule's names
/// (shared_bytes) or the profiler's ("shared memory"); those that kjoule does not know are passed over.
/// Throws Error naming the line for a missing name, a key that stands twice, numbers that contradict each
/// other, a wrong type, a tier that is none, a count below 1, an extent that no launch has, and times that
/// are no finite numbers from 0 or contradict each other by more than rounding.
KernelRow read_kernel_row(JsonCursor& cursor);

/// Adds a row's launches to those of the rows before it. Throws Error naming the line when they do not fit.
void add_launches(uint64_t& sum, const KernelRow& row, const JsonCursor& cursor);

}  // namespace kjoule
