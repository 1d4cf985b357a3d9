#pragma once
#include <CLI/CLI.hpp>

#include "base/error.hpp"

namespace kjoule {

/// Returns the error of a command line that CLI11 did not accept, in kjoule's words. `app` is the object that
/// parsed the command line.
UsageError command_line_error(const CLI::ParseError& error, const CLI::App& app);

}  // namespace kjoule
