#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "power/calibration.hpp"

namespace kjoule {

/// Returns the file of the user's calibrations: kjoule/calibrations.json in $XDG_CONFIG_HOME or ~/.config;
/// empty if neither is known.
std::filesystem::path calibrations_path();

/// Returns the calibrations in a file; none if there is no such file. Throws Error if the file exists but
/// cannot be read.
std::vector<Calibration> read_calibrations(const std::filesystem::path& path);
/// Creates the folder of the file. Throws Error if it cannot be created, or if the file cannot be read or
/// written.
void prepare_calibrations(const std::filesystem::path& path);
/// Stores a calibration and removes an earlier one of the same sensor. Throws Error if the file cannot be
/// read or written; the file is then unchanged.
void store_calibration(const std::filesystem::path& path, const Calibration& calibration);

/// Returns the calibration of a sensor, which is identified as in Calibration; no value if there is none.
std::optional<Calibration> find_calibration(const std::vector<Calibration>& calibrations,
                                            const std::string& source, const std::string& device,
                                            const std::string& id);

}  // namespace kjoule
