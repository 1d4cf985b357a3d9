#include "cli/options/file_options.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/files/output_place.hpp"
#include "compare/changes/baseline.hpp"
#include "importers/imported_file.hpp"
#include "recording/recording.hpp"

namespace kjoule {

namespace {

namespace fs = std::filesystem;

enum class Role { input, output_file, output_file_or_folder, output_folder };

/// The use that a command makes of the files that an option names.
struct FileUse {
  Role role = Role::input;
  const OutputKind* kind = nullptr;
  std::string name;  ///< the file that is written in a folder; empty if the option names the file itself
};

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
  return begins_with(file, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n") ||
         begins_with(file, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
}

/// Returns whether the first line of a CSV file has the columns of a sweep: sizes, times in us, energies.
bool is_sample_table(const fs::path& file) {
  constexpr size_t kLongestHead = 4096;
  const std::string beginning = read_beginning(file, kLongestHead);
  return beginning.substr(0, beginning.find('\n')).find("dur(us)") != std::string::npos;
}

/// A file or folder on the command line.
struct NamedFile {
  const CLI::Option* option;
  const FileUse* use;
  fs::path path;  ///< the file that is read or written, or the folder of results

  std::string text() const { return option->get_name() + " " + path.string(); }
};

std::vector<NamedFile> named_files(const CLI::App& command) {
  std::vector<NamedFile> files;
  for (const CLI::Option* option : command.get_options()) {
    const auto found = file_uses().find(option);
    if (found == file_uses().end()) continue;
    const FileUse& use = found->second;
    std::vector<std::string> paths = option->results();
    if (paths.empty() && use.role == Role::output_file && !option->get_default_str().empty())
      paths.push_back(option->get_default_str());
    for (const std::string& path : paths)
      files.push_back({option, &use, use.name.empty() ? fs::path(path) : path / fs::path(use.name)});
  }
  for (const CLI::App* part : command.get_subcommands())
    for (NamedFile& file : named_files(*part)) files.push_back(std::move(file));
  return files;
}

/// Returns whether both paths lead to the same file. Files that exist are compared by device and inode, and
/// new ones by their paths.
bool is_same_file(const fs::path& one, const fs::path& other) {
  std::error_code ignored;
  if (fs::equivalent(one, other, ignored)) return true;
  const fs::path target = fs::weakly_canonical(fs::absolute(one, ignored), ignored);
  return !target.empty() && target == fs::weakly_canonical(fs::absolute(other, ignored), ignored);
}

/// Throws UsageError if another option names the same file.
void refuse_second_use(const NamedFile& output, const std::vector<NamedFile>& files) {
  std::error_code ignored;
  if (fs::is_directory(output.path, ignored) || is_stream(output.path)) return;
  for (const NamedFile& other : files) {
    if (other.option == output.option || !is_same_file(output.path, other.path)) continue;
    throw UsageError(output.text() + (other.use->role == Role::input
                                          ? ": this file is an input of the command"
                                          : ": " + other.option->get_name() + " also writes this file"),
                     "choose another file");
  }
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
}

}  // namespace

const OutputKind kRecordingOutput{"a recording", [](const fs::path& file) { return is_recording(file); }};
const OutputKind kBaselineOutput{"a baseline", is_baseline};
const OutputKind kTimelineOutput{"a timeline of kjoule", is_timeline};
const OutputKind kEnergyReportOutput{"an energy report of kjoule", is_energy_report};
const OutputKind kSampleTableOutput{"a table of samples", is_sample_table};
const OutputKind kImportedOutput{"a kernel table of kjoule import", [](const fs::path& file) {
                                   return read_beginning(file, 4096).find(kImportedFormat) !=
                                          std::string::npos;
                                 }};
const OutputKind kNewOutput{"new", [](const fs::path&) { return false; }};

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

CLI::Option* output_file(CLI::Option* option, const OutputKind& kind) {
  return add_use(option, {Role::output_file, &kind, ""});
}

CLI::Option* output_file_or_folder(CLI::Option* option, const OutputKind& kind) {
  return add_use(option, {Role::output_file_or_folder, &kind, ""});
}

CLI::Option* output_folder(CLI::Option* option) {
  return add_use(option, {Role::output_folder, nullptr, ""});
}

CLI::Option* output_folder(CLI::Option* option, const char* name, const OutputKind& kind) {
  return add_use(option, {Role::output_folder, &kind, name});
}

void check_files(const CLI::App& command) {
  const std::vector<NamedFile> files = named_files(command);
  for (const NamedFile& output : files) {
    if (output.use->role == Role::input) continue;
    if (output.use->kind != nullptr) refuse_second_use(output, files);
    check_output(output);
  }
}

}  // namespace kjoule
