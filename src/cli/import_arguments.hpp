#pragma once
#include <CLI/CLI.hpp>

#include <optional>
#include <string>

#include "compare/table_request.hpp"

namespace kjoule {

/// Command-line options of the commands that read traces and tables of other tools.
struct ImportArguments : TableRequest {
  void declare(CLI::App& app);
  /// Declares all but --iterations, --gpu and --rank, which a command has for programs, too: see take().
  void declare_for_files(CLI::App& app);
  /// Takes the values of these three where they describe a file. Throws UsageError when the text of
  /// --iterations is no number.
  void take(const std::string& iterations, std::optional<int64_t> gpu, std::optional<int64_t> rank);
  /// Whether an option was given that only traces and tables of other tools understand.
  bool asked() const;
};

/// Prints on stderr what is missing from a table.
void tell_warnings(const ImportedTable& table);

}  // namespace kjoule
