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

/// Returns the calibrations in a file; none if there is no such file. Throws Error for a file that cannot be
/// read.
std::vector<Calibration> read_calibrations(const std::filesystem::path& path);
/// Stores a calibration, in place of an earlier one of the same sensor. Throws Error if the file cannot be
/// read or written; it is then unchanged.
void store_calibration(const std::filesystem::path& path, const Calibration& calibration);

/// Returns the calibration of a sensor; nothing if there is none.
std::optional<Calibration> find_calibration(const std::vector<Calibration>& calibrations,
                                            const std::string& source, const std::string& device,
                                            const std::string& id);

}  // namespace kjoule
