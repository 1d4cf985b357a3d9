#include "run/rows.hpp"

#include <fmt/format.h>
#include <algorithm>

#include <sstream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/finite_json.hpp"

namespace kjoule {

namespace fs = std::filesystem;

ResultRows::ResultRows(fs::path path, std::vector<nlohmann::json> rows)
    : path_(std::move(path)), rows_(std::move(rows)), file_(path_, std::ios::app) {
  if (!file_) throw Error(path_.string() + ": cannot be written", "choose another folder with --output-dir");
}

ResultRows ResultRows::create(const fs::path& path) {
  std::ofstream(path, std::ios::trunc).close();  // the file is not replaced, because it may be locked
  return {path, {}};
}

ResultRows ResultRows::resume(const fs::path& path) {
  std::string text = read_text(path);
  std::istringstream lines(
      text.substr(0, text.rfind('\n') + 1));  // the complete ones; none without a line end
  std::vector<nlohmann::json> rows;
  std::string line;
  for (size_t number = 1; std::getline(lines, line); ++number) {
    rows.push_back(nlohmann::json::parse(line, nullptr, false));
    if (!rows.back().is_object() || !rows.back().contains("kind"))
      throw Error(fmt::format("{}:{}: not a result row", path.string(), number),
                  "measure again without --resume");
  }
  remove_incomplete_line(path, text, "{\"");
  return {path, std::move(rows)};
}

void ResultRows::append(const nlohmann::json& appended) {
  const nlohmann::json row = with_finite_numbers(appended);
  file_ << row.dump() + '\n' << std::flush;
  if (!file_)
    throw Error(path_.string() + ": writing failed", "is the disk full? free some space and --resume");
  rows_.append(row);
}

std::vector<nlohmann::json> RowList::descriptions(const std::string& kind) const {
  std::vector<nlohmann::json> found;
  for (const nlohmann::json& row : rows_)
    if (row.at("kind") == kind) found.push_back(row);
  return found;
}

int64_t RowList::latest_end_ns() const {
  int64_t latest = 0;
  for (const nlohmann::json& row : rows_) latest = std::max(latest, row.value("end_ns", int64_t{0}));
  return latest;
}

void refuse_folder_of_others(const fs::path& folder) {
  std::error_code failed;
  if (!fs::exists(folder)) return;
  if (!fs::is_directory(folder))
    throw Error(folder.string() + ": is no folder", "name one with --output-dir");
  if (!fs::is_empty(folder, failed) && !fs::exists(folder / "results.jsonl"))
    throw Error(folder.string() + ": holds files, but no results.jsonl",
                "name a new folder, or one of older results, with --output-dir");
}

fs::path start_folder(const fs::path& folder, const std::string& time_suffix) {
  refuse_folder_of_others(folder);
  fs::path aside;
  std::error_code failed;
  if (fs::exists(folder) && !fs::is_empty(folder, failed)) {
    aside = folder.string() + "-" + time_suffix;
    for (int n = 2; fs::exists(aside); ++n) aside = fmt::format("{}-{}-{}", folder.string(), time_suffix, n);
    fs::rename(folder, aside, failed);
  }
  if (!failed) fs::create_directories(folder, failed);
  if (failed)
    throw Error(folder.string() + ": " + failed.message(), "choose another folder with --output-dir");
  return aside;
}

}  // namespace kjoule
