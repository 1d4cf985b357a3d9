#include "run/results_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/files/output_place.hpp"
#include "base/json/dump_json.hpp"
#include "base/json/parse_json.hpp"
#include "base/process/interruption.hpp"
#include "base/process/terminal.hpp"
#include "kjoule_version.hpp"
#include "run/row_check.hpp"

namespace kjoule {

namespace fs = std::filesystem;

namespace {

/// The files of all kinds of results folders, apart from the logs of power meters, which begin with
/// kPowerLog, and from the reports of kjoule energy, which also replaces those of other commands.
constexpr std::array<std::string_view, 13> kResultsFiles{"results.jsonl",
                                                         "recording.jsonl",
                                                         "full_model_timing.json",
                                                         "isolated_kernels_timing.json",
                                                         "summary.csv",
                                                         "run_report.json",
                                                         "comparison_report.json",
                                                         "further_starts.log",
                                                         "kernels.jsonl",
                                                         "layers.json",
                                                         "layers.csv",
                                                         "sensor.csv",
                                                         "reference.csv"};
constexpr std::string_view kPowerLog = "power_";

std::string folder_suffix() {
  std::string digits;
  const SteadyClock clock;
  for (const char c : clock.local_time(clock.now_ns()))
    if (c == ' ')
      digits += '-';
    else if (c == '.')
      break;
    else if (c != '-' && c != ':')
      digits += c;
  return digits;
}

fs::path rows_in(const fs::path& folder) {
  return folder / "results.jsonl";
}

/// Returns the note that an interrupted command prints: the number of rows that the folder and its subfolders
/// keep, and the option that continues the measurement.
std::string kept_rows_text(const fs::path& folder) {
  size_t rows = 0;
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(folder, ignored)) {
    if (entry.path().filename() != rows_in("").filename()) continue;
    size_t lines = 0;
    read_lines(entry.path(), [&lines](std::string_view, bool ended) { lines += ended ? 1 : 0; });
    rows += std::max<size_t>(lines, 1) - 1;  // the first line describes the run
  }
  if (rows == 0) return "no result was measured yet";
  return fmt::format("{} {} kept: the same command with --resume {} continues the measurement", rows,
                     rows == 1 ? "row is" : "rows are", folder.string());
}

}  // namespace

bool is_results_file(const fs::path& file) {
  std::error_code ignored;
  const std::string name = file.filename().string();
  const bool is_named = std::find(kResultsFiles.begin(), kResultsFiles.end(), name) != kResultsFiles.end();
  return (is_named || (name.starts_with(kPowerLog) && name.ends_with(".csv"))) &&
         fs::exists(rows_in(fs::absolute(file, ignored).parent_path()), ignored);
}

void RunOptions::refuse_folder() const {
  if (resume.empty())
    refuse_folder_of_others(output_dir);
  else
    refuse_irregular_files(resume);
  check_output_folder(folder());
  const fs::path rows = rows_in(folder());
  std::error_code ignored;
  if (fs::exists(rows, ignored))
    const FileLock lock(rows);
  else if (!resume.empty())
    throw Error(resume + ": contains no results.jsonl, which --resume needs",
                "give the folder of an interrupted run");
}

std::string RunOptions::way_on() const {
  std::error_code failed;
  const auto size = fs::file_size(rows_in(folder()), failed);
  return failed || size == 0 ? "" : "continue with --resume " + folder();
}

FileLock RunOptions::claim() const {
  refuse_folder();
  // The first folder contains those of all other runs of the command.
  static const KeptNote note([first = folder()] { return kept_rows_text(first); });
  if (resume.empty()) {
    const fs::path aside = start_folder(folder(), folder_suffix());
    if (!aside.empty()) print_error("older results were moved to {}\n", aside.string());
  }
  return FileLock(rows_in(folder()));
}

ResultRows RunOptions::open_rows() const {
  if (resume.empty()) return ResultRows::create(rows_in(folder()));
  ResultRows rows = ResultRows::resume(rows_in(folder()));
  // Rows of another version are refused by begin_rows().
  if (!rows.rows().empty() && rows.rows().header().value("version", nlohmann::json()) == kRowsVersion)
    check_rows(rows.rows(), rows.path());
  return rows;
}

bool begin_rows(ResultRows& rows, nlohmann::json header, const std::vector<std::string>& same) {
  header["version"] = kRowsVersion;
  header["kjoule"] = kjoule_version;
  header = parse_json(dump_json(header), rows.path().string());
  if (rows.rows().empty()) {
    rows.append(header);
    return true;
  }
  const nlohmann::json& older = rows.rows().header();
  const std::string folder = rows.path().parent_path().string();
  if (const nlohmann::json version = older.value("version", nlohmann::json()); version != kRowsVersion)
    throw Error(
        fmt::format("{}: the results have format version {}, but this kjoule continues only version {}",
                    folder, version.is_number_integer() ? version.dump() : "?", kRowsVersion),
        "repeat the command without --resume, or continue with the version of kjoule that wrote them");
  if (older.at("kind") != header.at("kind"))
    throw Error(fmt::format("{}: contains results of {}", folder,
                            header.at("kind") == "run" ? "several runs" : "one run"),
                "resume with the options of the interrupted run, or measure again without --resume");
  for (const std::string& key : same)
    if (older.value(key, nlohmann::json()) != header.value(key, nlohmann::json()))
      throw Error(fmt::format("{}: contains results of another {}", folder,
                              key == "items" ? "number of items (--items)" : key),
                  "resume with the options of the interrupted run, or measure again without --resume");
  return false;
}

RunOptions RunOptions::within(const std::string& name) const {
  RunOptions options = *this;
  options.output_dir = fs::path(folder()) / name;
  options.resume = !resume.empty() && fs::exists(rows_in(options.output_dir)) ? options.output_dir : "";
  return options;
}

}  // namespace kjoule
