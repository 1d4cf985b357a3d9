#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "logged/log_energies.hpp"

namespace kjoule {

/// Doubts about energies from a power log, one line each.
struct LogDoubts {
  std::vector<std::string> warnings;
  /// Lines about energies that are missing, or doubtful because the meter was silent, with remedies.
  std::vector<std::string> missing;
};
LogDoubts doubts_of(const LogEnergies& energies);

/// Writes energy_report.json if the whole was timed, and gpu_energy_report.json if kernels were timed.
/// Returns the paths of the written files.
std::vector<std::filesystem::path> write_energies(const LogEnergies& energies,
                                                  const std::filesystem::path& folder);

}  // namespace kjoule
