#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "compare/iteration/comparison.hpp"
#include "report/kernel_names.hpp"

namespace kjoule {

/// Returns the `energy` object of comparison_report.json.
nlohmann::ordered_json energy_json(const EnergyResult& energy);
/// Returns the `energy` object of one kernel in comparison_report.json. `count` is the kernel's launches per
/// iteration.
nlohmann::ordered_json energy_json(const KernelJoules& energy, size_t count, const EnergyResult& all);

/// Returns the meter's systematic error, which no interval contains, and its source; empty if it is not
/// known.
std::string systematic_error_text(const EnergyResult& energy);
/// Returns a line that tells the user to run `kjoule power probe` if the sampling rate of the GPU's power
/// sensor is not known: work that repeats near this rate is then measured wrongly. Empty for other meters,
/// and for sensors that were probed.
std::string sensor_rate_text(const EnergyResult& energy);

/// Returns a table with the energies of whole and sum, their intervals and the meter's systematic error.
/// Empty if no energy was requested.
std::string energy_text(const Comparison& comparison);

}  // namespace kjoule
