#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "compare/replayed_table.hpp"

namespace kjoule {

/// Kernels of a table that were replayed from their signatures. Pure functions, units in every header.
std::string replay_text(const ReplayedTable& table, size_t top);
/// The line that says how much of the table was replayed how.
std::string replay_shares_text(const ReplayedTable& table);
/// That times are of the CPU although the kernels are not; empty where that is not so.
std::string replay_place_text(const ReplayedTable& table);
std::string replay_csv(const ReplayedTable& table);
/// isolated_kernels_timing.json of a table.
nlohmann::ordered_json replay_timing(const nlohmann::json& run, const ReplayedTable& table);
/// Sum, shares and tiers, for other reports.
nlohmann::ordered_json replay_summary(const nlohmann::json& run, const ReplayedTable& table);

}  // namespace kjoule
