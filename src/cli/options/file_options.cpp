#include "cli/options/file_options.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/files/output_place.hpp"
#include "compare/changes/baseline.hpp"
#include "importers/imported_file.hpp"
#include "page/page.hpp"
#include "recording/recording.hpp"
#include "report/timeline.hpp"
#include "run/results_folder.hpp"
#include "sampling/slurm_script.hpp"

namespace kjoule {

namespace {

namespace fs = std::filesystem;

enum class Role {
  input,
  meter,  ///< a power source, which is an input if it is csv:FILE
  output_file,
  output_file_or_folder,
  output_folder,
  results_folder,  ///< a folder whose earlier results are renamed before the command writes its own
  resumed_folder   ///< a results folder that is read, and to which the command appends
};

/// The use that a command makes of the files that an option names.
struct FileUse {
  Role role = Role::input;
  const OutputKind* kind = nullptr;
  std::string name;  ///< the file that is written in a folder; empty if the option names the file itself
};

/// The begin of a power source that is a file. Settings follow the file's name after a comma.
constexpr std::string_view kLogSource = "csv:";

/// The options of this process that name files. CLI11 has no place for such facts.
std::map<const CLI::Option*, FileUse>& file_uses() {
  static std::map<const CLI::Option*, FileUse> uses;
  return uses;
}

CLI::Option* add_use(CLI::Option* option, FileUse use) {
  file_uses()[option] = std::move(use);
  return option->check(CLI::Validator(
      [](const std::string& path) { return path.empty() ? "the name of the file is empty" : std::string(); },
      ""));
}

bool begins_with(const fs::path& file, std::string_view text) {
  return read_beginning(file, text.size()) == text;
}

/// Reports of other tools may begin in the same way, but do not state the meter's resolution.
bool is_energy_report(const fs::path& file) {
  const bool begins =
      begins_with(file, "{\n  \"duration_seconds\":") || begins_with(file, "{\n  \"full_model\":");
  return begins && read_text(file).find("\"resolution_seconds\":") != std::string::npos;
}

bool is_timeline(const fs::path& file) {
  return is_timeline_beginning(read_beginning(file, kTimelineBeginning));
}

/// Returns whether the first line of a CSV file has the columns of a sweep: sizes, times in us, energies. A
/// table with the rows of its samples next to it is a part of a sweep, which kjoule sample continues.
bool is_merged_table(const fs::path& file) {
  constexpr size_t kLongestHead = 4096;
  const std::string beginning = read_beginning(file, kLongestHead);
  std::error_code ignored;
  return beginning.substr(0, beginning.find('\n')).find("dur(us)") != std::string::npos &&
         !fs::exists(fs::path(file).replace_extension(".jsonl"), ignored);
}

/// A file or folder on the command line.
struct NamedFile {
  const CLI::Option* option;
  const FileUse* use;
  fs::path path;  ///< the file that is read or written, or the folder of results

  std::string text() const { return option->get_name() + " " + path.string(); }
  bool is_read() const {
    return use->role == Role::input || use->role == Role::meter || use->role == Role::resumed_folder;
  }
  bool is_results_folder() const {
    return use->role == Role::results_folder || use->role == Role::resumed_folder;
  }
};

fs::path path_of(const std::string& text, const FileUse& use) {
  if (use.role == Role::meter) return text.substr(kLogSource.size(), text.find(',') - kLogSource.size());
  return use.name.empty() ? fs::path(text) : text / fs::path(use.name);
}

std::vector<NamedFile> named_files(const CLI::App& command) {
  std::vector<NamedFile> files;
  for (const CLI::Option* option : command.get_options()) {
    const auto found = file_uses().find(option);
    if (found == file_uses().end()) continue;
    const FileUse& use = found->second;
    std::vector<std::string> paths = option->results();
    const bool has_default = use.role == Role::output_file || use.role == Role::results_folder;
    if (paths.empty() && has_default && !option->get_default_str().empty())
      paths.push_back(option->get_default_str());
    for (const std::string& path : paths) {
      if (use.role == Role::meter && !path.starts_with(kLogSource)) continue;
      files.push_back({option, &use, path_of(path, use)});
    }
  }
  for (const CLI::App* part : command.get_subcommands())
    for (NamedFile& file : named_files(*part)) files.push_back(std::move(file));
  return files;
}

/// Returns the absolute path without links, "." and "..". The part that does not exist has no links.
fs::path resolved(const fs::path& path) {
  std::error_code ignored;
  const fs::path found = fs::weakly_canonical(fs::absolute(path, ignored), ignored);
  return found.has_filename() ? found : found.parent_path();
}

/// Returns whether the path is the folder or leads into it.
bool is_within(const fs::path& path, const fs::path& folder) {
  const fs::path inner = resolved(path), outer = resolved(folder);
  return !outer.empty() &&
         std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

/// Returns whether both paths lead to the same file. Files that exist are compared by device and inode, and
/// new ones by their paths.
bool is_same_file(const fs::path& one, const fs::path& other) {
  struct stat status {
  }, second{};  // fs::equivalent() does not compare pipes
  if (stat(one.c_str(), &status) == 0 && stat(other.c_str(), &second) == 0)
    return status.st_dev == second.st_dev && status.st_ino == second.st_ino;
  const fs::path target = resolved(one);
  return !target.empty() && target == resolved(other);
}

/// Throws UsageError if the command line names the file of this output a second time. Several outputs may be
/// the same device, for example /dev/null.
void refuse_second_use(const NamedFile& output, const std::vector<NamedFile>& files) {
  std::error_code ignored;
  if (fs::is_directory(output.path, ignored) || fs::is_character_file(output.path, ignored)) return;
  for (const NamedFile& other : files) {
    if (&other == &output || !is_same_file(output.path, other.path)) continue;
    throw UsageError(
        output.text() + (other.is_read() ? ": this file is an input of the command"
                                         : ": " + other.option->get_name() + " also writes this file"),
        "choose another file");
  }
}

/// Throws UsageError if the output is stdout, and the command also prints its result there for programs.
void refuse_with_result(const NamedFile& output, const CLI::App& command) {
  if (!is_stdout(output.path)) return;
  for (const char* name : {"--json", "--jsonl", "--csv", "--markdown"})
    if (const CLI::Option* option = command.get_option_no_throw(name);
        option != nullptr && option->count() > 0)
      throw UsageError(output.text() + ": " + name + " also writes to the standard output",
                       "choose another file, or omit " + std::string(name));
  for (const CLI::App* part : command.get_subcommands()) refuse_with_result(output, *part);
}

/// Throws UsageError if a file is in the folder of the command's results: an output would be renamed with
/// earlier results, or replace a file of the new ones; an input would be renamed before it is read.
void refuse_in_results(const NamedFile& file, const NamedFile& results) {
  if (file.is_results_folder() || !is_within(file.path, results.path)) return;
  const std::string folder = results.text();
  if (!file.is_read())
    throw UsageError(file.text() + ": this file is in the folder of the results (" + folder + ")",
                     "choose a file outside this folder");
  std::error_code ignored;
  if (results.use->role == Role::results_folder && fs::exists(file.path, ignored))
    throw UsageError(file.text() + ": this input is in the folder " + folder +
                         ", which is renamed because it has earlier results",
                     "choose another folder with -o");
}

/// Throws UsageError if a word of the program's command line, or the value in a word such as --config=FILE,
/// is a file in a folder of earlier results, which would be renamed before the program reads the file.
void refuse_program_in_results(const std::vector<std::string>& program, const NamedFile& results) {
  std::error_code ignored;
  if (results.use->role != Role::results_folder || !fs::exists(results.path, ignored) ||
      fs::is_empty(results.path, ignored))
    return;
  for (const std::string& word : program)
    for (const std::string& path : {word, word.substr(word.find('=') + 1)})
      if (fs::exists(path, ignored) && is_within(path, results.path))
        throw UsageError(path + ": this file of the program is in the folder " + results.text() +
                             ", which is renamed because it has earlier results",
                         "choose another folder with -o");
}

void check_output(const NamedFile& output) {
  const FileUse& use = *output.use;
  std::error_code ignored;
  if (use.kind == nullptr) return check_output_folder(output.path);
  if (use.role == Role::output_file_or_folder && fs::is_directory(output.path, ignored))
    return check_output_folder(output.path);
  if (use.role == Role::output_folder)
    check_output_folder(output.path.parent_path());
  else
    check_output_file(output.path);
  refuse_foreign(output.path, *use.kind);
  if (is_results_file(output.path))
    throw Error(output.text() + ": this name is that of a file of the results in this folder",
                "choose another name or folder");
}

}  // namespace

const OutputKind kRecordingOutput{"a recording", [](const fs::path& file) { return is_recording(file); }};
const OutputKind kBaselineOutput{"a baseline", is_baseline};
const OutputKind kTimelineOutput{"a timeline of kjoule", is_timeline};
const OutputKind kEnergyReportOutput{"an energy report of kjoule", is_energy_report};
const OutputKind kSampleTableOutput{"a table of kjoule sample merge", is_merged_table};
const OutputKind kImportedOutput{"a kernel table of kjoule import", [](const fs::path& file) {
                                   return read_beginning(file, 4096).find(kImportedFormat) !=
                                          std::string::npos;
                                 }};
const OutputKind kSlurmScriptOutput{"a Slurm script of kjoule", [](const fs::path& file) {
                                      return begins_with(file, kSlurmScriptBeginning);
                                    }};
const OutputKind kPageOutput{"a page of kjoule",
                             [](const fs::path& file) { return begins_with(file, kPageBeginning); }};
const OutputKind kNewOutput{"new", [](const fs::path&) { return false; }};

bool names_files(const CLI::Option& option) {
  return file_uses().count(&option) > 0;
}

void refuse_foreign(const fs::path& file, const OutputKind& kind) {
  std::error_code ignored;
  if (!fs::is_regular_file(fs::symlink_status(file, ignored)) || fs::file_size(file, ignored) == 0) return;
  if (&kind == &kNewOutput)
    throw Error(file.string() + ": exists already", "name another file with -o, or remove it");
  if (!kind.wrote(file))
    throw Error(
        fmt::format("{}: this file exists, is not {}, and was not replaced", file.string(), kind.name),
        "move it away, or choose another file with -o");
}

CLI::Option* input_file(CLI::Option* option) {
  return add_use(option, {});
}

CLI::Option* meter_input(CLI::Option* option) {
  file_uses()[option] = {Role::meter, nullptr, ""};
  return option;
}

CLI::Option* output_file(CLI::Option* option, const OutputKind& kind) {
  return add_use(option, {Role::output_file, &kind, ""});
}

CLI::Option* output_file_or_folder(CLI::Option* option, const OutputKind& kind) {
  return add_use(option, {Role::output_file_or_folder, &kind, ""});
}

CLI::Option* output_folder(CLI::Option* option) {
  return add_use(option, {Role::output_folder, nullptr, ""});
}

CLI::Option* results_folder(CLI::Option* option) {
  return add_use(option, {Role::results_folder, nullptr, ""});
}

CLI::Option* resumed_folder(CLI::Option* option) {
  return add_use(option, {Role::resumed_folder, nullptr, ""});
}

CLI::Option* output_folder(CLI::Option* option, const char* name, const OutputKind& kind) {
  return add_use(option, {Role::output_folder, &kind, name});
}

bool is_file_name(const std::string& word) {
  return fs::exists(word) && !fs::is_directory(word);
}

void check_files(const CLI::App& command, const std::vector<std::string>& program) {
  std::vector<NamedFile> files = named_files(command);
  const auto is_resumed = [](const NamedFile& file) { return file.use->role == Role::resumed_folder; };
  if (std::any_of(files.begin(), files.end(), is_resumed))  // instead of the default of -o
    std::erase_if(files, [](const NamedFile& file) { return file.use->role == Role::results_folder; });
  for (const NamedFile& results : files)
    if (results.is_results_folder())
      for (const NamedFile& file : files) refuse_in_results(file, results);
  for (const NamedFile& results : files) refuse_program_in_results(program, results);
  for (const NamedFile& file : files) {
    if (file.is_read() || file.use->kind == nullptr) continue;
    refuse_second_use(file, files);
    refuse_with_result(file, command);
  }
  for (const NamedFile& file : files)
    if (!file.is_read()) check_output(file);
}

}  // namespace kjoule
