#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "compare/result.hpp"
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
/// Returns that the sampling rate of a GPU's power sensor is not known, and the command that finds it, as a
/// line; empty for other meters and for sensors that were probed. Work that repeats in step with the sensor
/// is measured wrongly if the rate is not known.
std::string sensor_rate_text(const EnergyResult& energy);

/// Returns a table with the energies of whole and sum, and what is known of their errors. Returns an empty
/// text when no energy was measured.
std::string energy_text(const Comparison& comparison);

}  // namespace kjoule
