#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "power/logs/log_columns.hpp"

namespace kjoule {

/// Returns the options that name the columns of a log, if kjoule can read the log with them: they are tried
/// on the beginning of the file. `titles` is the log's header, or its first line if it has none. Returns an
/// empty text if no columns fit.
std::string tried_columns(const std::filesystem::path& path, const std::vector<std::string>& titles,
                          const ColumnNames& names);

}  // namespace kjoule
