#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "report/imported_groups.hpp"

namespace kjoule {

/// The kernels of an imported table for a terminal, units in every header. A count that is not the same whole
/// number in every iteration has a star. Where the number of iterations is unknown, the table says so.
std::string imported_console(const ImportedTable& table, GroupBy by);
/// As CSV, a header line first; times in us; empty where nothing is known.
std::string imported_csv(const ImportedTable& table, GroupBy by);
/// `summary`, with unique and invocation counts a tier, then `kernels`; grouped by something else than
/// signature, `groups`.
nlohmann::ordered_json imported_json(const ImportedTable& table, GroupBy by);
/// One JSON object a line.
std::string imported_jsonl(const ImportedTable& table, GroupBy by);

}  // namespace kjoule
