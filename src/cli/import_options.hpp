#pragma once
#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

#include "cli/subject.hpp"
#include "trace/import.hpp"

namespace kjoule {

/// What the commands that read traces and tables of others are told about them.
class ImportOptions {
 public:
  void declare(CLI::App& app);
  /// All but --iterations, --gpu and --rank, which a command has for programs, too: see take().
  void declare_for_files(CLI::App& app);
  /// What those three say where they are about a file; of `iterations` the text. Throws Error when it is no
  /// number.
  void take(const std::string& iterations, std::optional<int64_t> gpu, std::optional<int64_t> rank);
  /// Reads the one of `paths` that was asked for: files, or folders of an import or a run. What lacks
  /// operators or shapes gets those of --like, and where that has none of `lender`'s model, if it names one.
  /// Throws Error.
  ImportedTable read(const std::vector<std::string>& paths, const SubjectOptions& lender) const;
  /// An option was given that only traces and tables of others understand.
  bool asked() const;

 private:
  ImportChoice choice_;
  std::optional<int64_t> rank_;
  std::string like_;
  uint64_t most_bytes_ = kMostImportBytes;
};

/// Tells on stderr what is missing from a table.
void tell_warnings(const ImportedTable& table);

}  // namespace kjoule
