#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "logged/log_energies.hpp"

namespace kjoule {

/// What is wrong with energies from a log: one line each.
struct LogDoubts {
  std::vector<std::string> warnings;
  /// Values that are missing, or in doubt because the meter was silent, with remedies.
  std::vector<std::string> missing;
};
LogDoubts doubts_of(const LogEnergies& energies);

/// Writes energy_report.json and gpu_energy_report.json, as far as their work was timed, and returns their
/// paths.
std::vector<std::filesystem::path> write_energies(const LogEnergies& energies,
                                                  const std::filesystem::path& folder);

}  // namespace kjoule
