#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "power/meters/meter.hpp"
#include "report/energy_reports.hpp"

namespace kjoule {

/// Returns the facts of the logged meter for the timing files (LoggedMeter); null if none was logged.
nlohmann::ordered_json power_meter_json(const std::optional<MeterFacts>& logged);

/// Integrates the power logs in a results folder, which its run has written, over the blocks in the folder's
/// timing files, and writes energy_report.json and gpu_energy_report.json. `meter` has the facts of the meter
/// that was logged. Prints missing and doubtful energies as warnings. Returns nothing if there is no usable
/// log.
std::optional<LogEnergies> integrate_own_logs(const std::filesystem::path& folder, const MeterFacts& meter);

}  // namespace kjoule
