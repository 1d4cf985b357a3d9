#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compare/iteration/rank_result.hpp"
#include "report/table_columns.hpp"

namespace kjoule {

/// Returns a table with the energies of the ranks and of all ranks together; the reason if no energy was
/// measured; an empty text without ranks, or if no energy was requested.
std::string rank_energies_text(const std::vector<RankResult>& ranks);
/// Like rank_energies_text(), but of more than kMostListedRanks ranks, only the energy of all together is
/// listed.
std::string rank_energies_screen(const std::vector<RankResult>& ranks);

/// Returns the energy of a rank, or of all ranks together, in comparison_report.json: null if none was
/// requested, or if the meter does not measure single ranks.
nlohmann::ordered_json rank_energy_json(const std::optional<EnergyResult>& energy);

/// Returns the energy of all ranks together in comparison_report.json.
nlohmann::ordered_json energy_of_ranks_json(const std::vector<RankResult>& ranks);

/// Returns the columns of the table of rank_energies_text().
TableColumns rank_energy_columns();

}  // namespace kjoule
