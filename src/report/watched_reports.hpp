#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/table_columns.hpp"
#include "run/watched_ranks.hpp"

namespace kjoule {

/// Returns what the ranks of a program did in its own iterations: a table with the mean of all ranks and the
/// ranks with the smallest and largest values, the waiting with its error, and the critical path.
std::string watched_screen(const WatchedRanks& watched);
/// Returns a table with a line for each rank, and the kernels on the critical path.
std::string watched_details(const WatchedRanks& watched);
/// Returns the field `program_iterations_of_ranks` of comparison_report.json.
nlohmann::ordered_json watched_json(const WatchedRanks& watched);
/// Returns the columns of watched_screen() and watched_details().
std::vector<TableColumns> watched_columns();

}  // namespace kjoule
