#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "report/kernel_names.hpp"
#include "report/table_lines.hpp"

namespace kjoule {

/// Returns the kernels of an imported table for a terminal, with the unit in each column head. A star marks a
/// count that differs between iterations or is not a whole number. If the number of iterations is unknown, a
/// line states this. `top` is the number of kernels or groups to show, from the largest; all are shown
/// without it.
std::string imported_console(const ImportedTable& table, GroupBy by, NameStyle style = NameStyle::shortened,
                             std::optional<size_t> top = {});
/// Returns the kernels as CSV with a header line. Times are in us; cells without a known value are empty.
std::string imported_csv(const ImportedTable& table, GroupBy by);
/// Returns an object with `summary` (numbers of kernels and launches per tier) and, if grouped by signature,
/// `kernels`; otherwise `groups`.
nlohmann::ordered_json imported_json(const ImportedTable& table, GroupBy by);
/// Returns the kernels or groups as JSON Lines: one object per line.
std::string imported_jsonl(const ImportedTable& table, GroupBy by);

}  // namespace kjoule
