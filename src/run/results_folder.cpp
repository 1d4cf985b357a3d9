#include "run/results_folder.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/terminal.hpp"
#include "kjoule_version.hpp"
#include "run/row_check.hpp"

namespace kjoule {

namespace fs = std::filesystem;

namespace {

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

}  // namespace

void RunOptions::refuse_folder() const {
  if (resume.empty()) refuse_folder_of_others(output_dir);
  const fs::path rows = rows_in(folder());
  std::error_code ignored;
  if (fs::exists(rows, ignored))
    const FileLock lock(rows);
  else if (!resume.empty())
    throw Error(resume + ": no results.jsonl to resume", "give the folder of a killed run");
}

std::string RunOptions::way_on() const {
  std::error_code failed;
  const auto size = fs::file_size(rows_in(folder()), failed);
  return failed || size == 0 ? "" : "go on with --resume " + folder();
}

FileLock RunOptions::claim() const {
  refuse_folder();
  if (resume.empty()) {
    const fs::path aside = start_folder(folder(), folder_suffix());
    if (!aside.empty()) print_error("older results moved to {}\n", aside.string());
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
  header = nlohmann::json::parse(header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  if (rows.rows().empty()) {
    rows.append(header);
    return true;
  }
  const nlohmann::json& older = rows.rows().header();
  const std::string folder = rows.path().parent_path().string();
  if (const nlohmann::json version = older.value("version", nlohmann::json()); version != kRowsVersion)
    throw Error(fmt::format("{}: rows of version {}; this kjoule resumes version {}", folder,
                            version.is_number_integer() ? version.dump() : "?", kRowsVersion),
                "measure again without --resume, or resume with the kjoule that wrote them");
  if (older.at("kind") != header.at("kind"))
    throw Error(fmt::format("{}: holds results of {}", folder,
                            header.at("kind") == "run" ? "several runs" : "one run"),
                "resume with the options of the killed run, or measure again without --resume");
  for (const std::string& key : same)
    if (older.value(key, nlohmann::json()) != header.at(key))
      throw Error(fmt::format("{}: holds results of another {}", folder, key),
                  "resume with the options of the killed run, or measure again without --resume");
  return false;
}

RunOptions RunOptions::within(const std::string& name) const {
  RunOptions options = *this;
  options.output_dir = fs::path(folder()) / name;
  options.resume = !resume.empty() && fs::exists(rows_in(options.output_dir)) ? options.output_dir : "";
  return options;
}

}  // namespace kjoule
