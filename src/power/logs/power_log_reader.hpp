#pragma once
#include <filesystem>

#include "power/logs/log_columns.hpp"
#include "power/logs/power_log.hpp"

namespace kjoule {

/// Reads a power log in one pass: WattsUp (time,id,pm1,pm2,sum), gpu (timestamp,gpu,power_w), nvidia-smi's
/// CSV, or any CSV by the names of two columns. Samples of each series come sorted by time, those of one time
/// joined to their mean. Every kind of line that was left out or mended is one line of `warnings`, with its
/// number. Throws Error when the file cannot be read, is no power log, lacks a named column, or holds no
/// reading.
PowerLog read_power_log(const std::filesystem::path& path, const ColumnNames& names = {});

}  // namespace kjoule
