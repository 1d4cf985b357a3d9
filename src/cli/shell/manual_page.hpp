#pragma once
#include <CLI/CLI.hpp>

#include <string>

namespace kjoule {

/// Returns the manual page (troff, macros man) of kjoule or of one of its commands, such as kjoule-power-log.
std::string manual_page(const CLI::App& command);

}  // namespace kjoule
