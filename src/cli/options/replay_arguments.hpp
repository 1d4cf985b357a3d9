#pragma once
#include <CLI/CLI.hpp>

#include <filesystem>
#include <string>

#include "cli/options/import_arguments.hpp"
#include "compare/tables/signature_replay.hpp"

namespace kjoule {

/// Command-line options of replaying the kernels of a trace or table from their signatures.
struct ReplayArguments {
  std::string file;
  ImportArguments import;

  void declare(CLI::App& app);
  bool asked() const { return !file.empty(); }
  /// Reads the table and prints its warnings. A model in `subject` supplies missing shapes. Throws Error.
  SignatureReplay read(KernelRules& rules, const SubjectOptions& subject) const;
};

/// Prints a line on stderr if kernels of a GPU are going to be replayed on the CPU.
void tell_cpu_notice(const SignatureReplay& replay, const SubjectOptions& subject);

/// Writes isolated_kernels_timing.json and summary.csv of a replay.
void write_replay_files(const std::filesystem::path& folder, const nlohmann::json& header,
                        const ReplayedTable& table);

/// Returns the exit code of a replay: 1 if a kernel could not be replayed, which is reported on stderr.
int replay_exit_code(const ReplayedTable& table);

}  // namespace kjoule
