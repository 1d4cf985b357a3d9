#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "compare/iteration/comparison.hpp"

namespace kjoule {

/// Returns the number of tokens or samples that one iteration processes (--items); nothing if it was not
/// given. `run` describes the run (Comparison::run).
std::optional<double> items_of(const nlohmann::json& run);

/// Returns the times (us) and energies (J) of one item; null if they were not measured.
nlohmann::ordered_json per_item_json(const Comparison& comparison, double items);

/// Returns a value of one item for a column of ten characters: four significant digits, or "" without items.
std::string per_item_cell(double value, const std::optional<double>& items);

}  // namespace kjoule
