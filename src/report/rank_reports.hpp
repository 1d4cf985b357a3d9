#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compare/iteration/rank_result.hpp"
#include "report/table_columns.hpp"

namespace kjoule {

/// Returns the table of the ranks of a program; empty if there are none.
std::string ranks_text(const std::vector<RankResult>& ranks);
/// Returns a line with the whole and the sum of the group of ranks, which must not be empty.
std::string group_text(const std::vector<RankResult>& ranks);
/// Returns the field `group` of comparison_report.json.
nlohmann::ordered_json group_json(const std::vector<RankResult>& ranks);
/// Returns the field `ranks` of comparison_report.json.
nlohmann::ordered_json ranks_json(const std::vector<RankResult>& ranks);
/// Returns the columns of ranks_text().
TableColumns rank_columns();

}  // namespace kjoule
