#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compare/iteration/rank_result.hpp"
#include "report/table_columns.hpp"

namespace kjoule {

/// The most ranks that the first screen lists one by one.
constexpr size_t kMostListedRanks = 4;
/// Returns the table of the ranks of a program; empty if there are none.
std::string ranks_text(const std::vector<RankResult>& ranks);
/// Like ranks_text(), but of more than kMostListedRanks ranks, only the slowest, the fastest and the least
/// certain one are listed.
std::string ranks_screen(const std::vector<RankResult>& ranks);
/// Returns a line with the whole and the sum of the group of ranks, which must not be empty.
std::string group_text(const std::vector<RankResult>& ranks);
/// Returns the field `group` of comparison_report.json.
nlohmann::ordered_json group_json(const std::vector<RankResult>& ranks);
/// Returns the field `ranks` of comparison_report.json.
nlohmann::ordered_json ranks_json(const std::vector<RankResult>& ranks);
/// Returns the columns of ranks_text().
TableColumns rank_columns();

}  // namespace kjoule
