#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compare/iteration/comparison.hpp"
#include "report/table_columns.hpp"

namespace kjoule {

/// Returns a table with a line for each kind of the collectives of a program's ranks; empty if it has none.
std::string collectives_screen(const Comparison& comparison);
/// Returns a table of the collectives with a line for each rank; empty if the program has none.
std::string collectives_text(const Comparison& comparison);
/// Returns the field `collectives` of comparison_report.json.
nlohmann::ordered_json collectives_json(const Comparison& comparison);
/// Returns the columns of collectives_screen() and collectives_text().
std::vector<TableColumns> explained_collectives();

}  // namespace kjoule
