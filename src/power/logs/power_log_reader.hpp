#pragma once
#include <filesystem>

#include "power/logs/log_columns.hpp"
#include "power/logs/power_log.hpp"

namespace kjoule {

/// Reads a power log in one pass: WattsUp (time,id,pm1,pm2,sum), gpu (timestamp,gpu,power_w), nvidia-smi's
/// CSV, or any CSV by the names of two columns. The samples of each series are sorted by time; samples of the
/// same time are replaced by their mean. Each kind of line that was ignored or corrected is one line of
/// `warnings`, with the number of the first. Throws Error if the file cannot be read, is not a power log,
/// lacks a named column, or contains no reading.
PowerLog read_power_log(const std::filesystem::path& path, const ColumnNames& names = {});

}  // namespace kjoule
