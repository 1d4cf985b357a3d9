#pragma once
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace kjoule {

/// Declares --allow-operator, for commands that call the operators which an input file names. Returns the
/// option.
CLI::Option* declare_allowed_operators(CLI::App& app, std::vector<std::string>& names);

}  // namespace kjoule
