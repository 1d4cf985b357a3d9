#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "compare/iteration/comparison.hpp"
#include "report/table_columns.hpp"

namespace kjoule {

/// Returns the table of the collectives of a program's ranks; empty if it has none.
std::string collectives_text(const Comparison& comparison);
/// Returns the field `collectives` of comparison_report.json.
nlohmann::ordered_json collectives_json(const Comparison& comparison);
/// Returns the columns of collectives_text().
TableColumns collective_columns();

}  // namespace kjoule
