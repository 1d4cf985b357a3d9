#pragma once
#include <CLI/CLI.hpp>

#include <string>

namespace kjoule {

/// Returns the manual page (troff, macros man) of kjoule or of one of its commands. `title` is the name of
/// the page, such as kjoule-power-log.
std::string manual_page(const CLI::App& command, const std::string& title);

}  // namespace kjoule
