#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "compare/result.hpp"

namespace kjoule {

/// `energy` of comparison_report.json.
nlohmann::ordered_json energy_json(const EnergyResult& energy);
/// `energy` of one kernel in it.
nlohmann::ordered_json energy_json(const KernelJoules& energy, size_t count, const EnergyResult& all);

/// Whole and sum in joules and watts, and the `top` kernels by energy; empty where none was measured.
std::string energy_text(const Comparison& comparison, size_t top);

}  // namespace kjoule
