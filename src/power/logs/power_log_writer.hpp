#pragma once
#include <filesystem>
#include <string>

#include "power/logs/power_log.hpp"

namespace kjoule {

/// The log as text of its `format`: "wattsup" (whole seconds, 0.1 W; the sum where every meter reads), "gpu"
/// (ms, 1 mW) or "nvidia-smi" (ms, 0.01 W), one line for each time and device, by time. Series are named as
/// the reader names them. Throws Error for another format.
std::string power_log_text(const PowerLog& log);

/// The same into a file; atomic.
void write_power_log(const std::filesystem::path& path, const PowerLog& log);

}  // namespace kjoule
