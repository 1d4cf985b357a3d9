#pragma once
#include <CLI/CLI.hpp>

#include <string>

namespace kjoule {

/// How a command prints what it found: as a table for people, or alone on stdout for programs.
struct Printed {
  bool json = false;
  bool csv = false;

  /// Adds --json and --csv, of which only one may be given.
  void declare(CLI::App& app, const std::string& json_help, const std::string& csv_help) {
    CLI::Option* as_json = app.add_flag("--json", json, json_help);
    app.add_flag("--csv", csv, csv_help)->excludes(as_json);
  }
};

}  // namespace kjoule
