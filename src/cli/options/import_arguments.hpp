#pragma once
#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

#include "compare/tables/table_request.hpp"

namespace kjoule {

/// Command-line options of commands that read traces and tables of other tools.
struct ImportArguments : TableRequest {
  void declare(CLI::App& app);
  /// Declares and returns all options except --iterations, --gpu and --rank. Commands that also measure
  /// programs declare these themselves and pass their values to take().
  std::vector<CLI::Option*> declare_for_files(CLI::App& app);
  /// Uses the values of --iterations, --gpu and --rank for the trace or table. Throws UsageError when
  /// `iterations` is not a number.
  void take(const std::string& iterations, std::optional<int64_t> gpu, std::optional<int64_t> rank);
  /// Returns whether an option was given that only applies to traces and tables of other tools.
  bool asked() const;
};

/// Prints the table's warnings about missing data on stderr.
void tell_warnings(const ImportedTable& table);

}  // namespace kjoule
