#pragma once
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace kjoule {

/// Declares --allow-operator, for commands that make calls which a file names, and returns it.
CLI::Option* declare_allowed_operators(CLI::App& app, std::vector<std::string>& names);

}  // namespace kjoule
