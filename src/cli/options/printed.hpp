#pragma once
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "base/json/dump_json.hpp"
#include "base/process/program.hpp"
#include "base/process/terminal.hpp"

namespace kjoule {

/// Prints a JSON value on stdout, with an indent of two spaces.
template <class Json>
void print_json(const Json& value) {
  print_text(dump_json(value, 2) + "\n");
}

/// The output format of a command: a table for people, or only JSON or CSV on stdout for programs.
struct Printed {
  bool json = false;
  bool csv = false;

  /// Adds --json and --csv, which exclude each other.
  void declare(CLI::App& app, const std::string& json_help, const std::string& csv_help) {
    CLI::Option* as_json = app.add_flag("--json", json, json_help);
    app.add_flag("--csv", csv, csv_help)->excludes(as_json);
  }

  bool as_text() const { return !json && !csv; }
  /// Returns the streams of a measured program. Its output must not be mixed with JSON or CSV.
  ProgramStreams program_streams() const { return as_text() ? ProgramStreams{} : kOutputToStderr; }

  /// Prints the requested format, and calls only its function: `as_json` returns a JSON value, `as_csv` and
  /// `as_text` return text that ends with a newline.
  template <class AsJson, class AsCsv, class AsText>
  void print(const AsJson& as_json, const AsCsv& as_csv, const AsText& as_text) const {
    if (json) {
      const auto value = as_json();
      print_json(value);
    } else if (csv) {
      print_text(as_csv());
    } else {
      print_text(as_text());
    }
  }
};

}  // namespace kjoule
