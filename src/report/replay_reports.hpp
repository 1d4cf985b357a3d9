#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "compare/tables/replayed_table.hpp"
#include "report/kernel_names.hpp"

namespace kjoule {

/// Returns a table for a terminal with the `top` largest kernels that were replayed from their signatures.
std::string replay_text(const ReplayedTable& table, size_t top, NameStyle style = NameStyle::shortened);
/// Returns a line with the shares of the recorded time (or launches) that were replayed by the same kernel,
/// by one of the same family, by a different kernel, or not at all.
std::string replay_shares_text(const ReplayedTable& table);
/// Returns a warning that kernels of a GPU were replayed on the CPU, so that their times are not the GPU's.
/// Returns an empty text if there are no such kernels.
std::string replay_place_text(const ReplayedTable& table);
std::string replay_csv(const ReplayedTable& table);
/// Returns isolated_kernels_timing.json for a replayed table.
nlohmann::ordered_json replay_timing(const nlohmann::json& run, const ReplayedTable& table);
/// Returns the sum, the shares and the tiers, which other reports contain, too.
nlohmann::ordered_json replay_summary(const nlohmann::json& run, const ReplayedTable& table);

}  // namespace kjoule
