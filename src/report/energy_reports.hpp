#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "logged/log_energies.hpp"
#include "report/kernel_names.hpp"

namespace kjoule {

/// Returns the names of the kernels.
KernelNames names_of(const LogEnergies& energies, NameStyle style = NameStyle::shortened,
                     size_t length = kShortNameLength);

/// Returns the warnings about the log, and one about work that ran only in a part of its window.
std::vector<std::string> warnings_of(const LogEnergies& energies);

/// Returns energy_report.json.
nlohmann::ordered_json energy_report(const LogEnergies& energies);
/// Returns gpu_energy_report.json.
nlohmann::ordered_json gpu_energy_report(const LogEnergies& energies);
/// Returns a CSV with one line for the whole and one for each kernel: name, tier, count, window in seconds,
/// samples, energy in joules. Cells without a measured value are empty.
std::string energy_csv(const LogEnergies& energies);
/// Returns a table for a terminal with the `top` kernels of largest energy.
std::string energy_text(const LogEnergies& energies, size_t top, NameStyle style = NameStyle::shortened);

}  // namespace kjoule
