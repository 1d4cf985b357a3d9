#pragma once
#include <filesystem>
#include <string>

#include "power/logs/power_log.hpp"

namespace kjoule {

/// Returns the log as text in its `format`: "wattsup" (times in whole seconds, powers in steps of 0.1 W, and
/// the sum if every meter has a reading), "gpu" (ms, 1 mW) or "nvidia-smi" (ms, 0.01 W). There is one line
/// for each time (and device), sorted by time. Series must have the names that PowerLogReader gives them.
/// Throws Error for other formats.
std::string power_log_text(const PowerLog& log);

/// Writes the text of power_log_text() to a file atomically.
void write_power_log(const std::filesystem::path& path, const PowerLog& log);

}  // namespace kjoule
