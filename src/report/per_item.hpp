#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "compare/result.hpp"

namespace kjoule {

/// Returns how many tokens or samples one iteration of a run processes (--items); nothing if that was not
/// stated. `run` describes the run (Comparison::run).
std::optional<double> items_of(const nlohmann::json& run);

/// Returns times and energies of one item: us and J; null for those that were not measured.
nlohmann::ordered_json per_item_json(const Comparison& comparison, double items);

/// Returns a value of one item for a column of ten characters: four significant digits, or "" without items.
std::string per_item_cell(double value, const std::optional<double>& items);

}  // namespace kjoule
