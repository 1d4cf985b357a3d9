#pragma once
#include <CLI/CLI.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace kjoule {

/// What an option of output files writes. A command replaces an existing file only if it is of this kind, so
/// that files of others are never overwritten.
struct OutputKind {
  const char* name;  ///< for messages: "is not NAME"
  /// Returns whether kjoule wrote the file as output of this kind.
  bool (*wrote)(const std::filesystem::path& file);
};
extern const OutputKind kRecordingOutput, kBaselineOutput, kTimelineOutput, kEnergyReportOutput,
    kSampleTableOutput, kImportedOutput, kSlurmScriptOutput, kPageOutput;
/// A file that must not exist yet, or is empty.
extern const OutputKind kNewOutput;

/// Returns whether a word that may be a file or a built-in name is a file: it exists, and is no folder.
bool is_file_name(const std::string& word);
/// Declares that the option names files or folders that the command reads. Returns the option.
CLI::Option* input_file(CLI::Option* option);
/// Declares that the option names a power meter, which may be a file that the command reads (csv:FILE).
CLI::Option* meter_input(CLI::Option* option);
/// Declares that the option names files that the command writes.
CLI::Option* output_file(CLI::Option* option, const OutputKind& kind);
/// Declares that the option names a file that the command writes, or an existing folder for this file.
CLI::Option* output_file_or_folder(CLI::Option* option, const OutputKind& kind);
/// Declares that the option names a folder in which the command writes several files.
CLI::Option* output_folder(CLI::Option* option);
/// Declares that the option names the folder of the command's results, whose earlier results are renamed.
CLI::Option* results_folder(CLI::Option* option);
/// Declares that the option names a folder of earlier results that the command completes.
CLI::Option* resumed_folder(CLI::Option* option);
/// Declares that the option names a folder in which the command writes the file `name`.
CLI::Option* output_folder(CLI::Option* option, const char* name, const OutputKind& kind);

/// Returns whether one of these functions declared that the option names files or folders.
bool names_files(const CLI::Option& option);

/// Throws Error if the output is an existing file of another kind. An empty file has nothing to lose.
void refuse_foreign(const std::filesystem::path& file, const OutputKind& kind);

/// Checks the files that the parsed command line names, before the command does any work. Throws UsageError
/// if an output is also an input or another output, in any spelling or through links, if an output is in the
/// folder of the command's results, or if an input would be renamed with earlier results. Throws Error if an
/// output is an existing file that kjoule did not write, belongs to other results, or cannot be written.
/// `program` contains the words after --, which may name inputs of the program; empty if there is none.
void check_files(const CLI::App& command, const std::vector<std::string>& program);

}  // namespace kjoule
