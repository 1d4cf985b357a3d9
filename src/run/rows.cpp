#include "run/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/json/dump_json.hpp"
#include "base/json/finite_json.hpp"
#include "base/json/parse_json.hpp"
#include "base/process/signal_handler.hpp"

namespace kjoule {

namespace fs = std::filesystem;

void refuse_row(const fs::path& file, size_t line, const std::string& why) {
  throw Error(fmt::format("{}:{}: this row is damaged: {}", file.string(), line, why),
              line == 1 ? "repeat the command without --resume"
                        : fmt::format("keep only the {} lines before it (head -n {}) and continue, or repeat "
                                      "the command without --resume",
                                      line - 1, line - 1));
}

namespace {

constexpr int kFirstSealedVersion = 6;

/// Returns the JSON object of a line. Throws Error if the line is no JSON object with a kind.
nlohmann::json row_in(const fs::path& path, size_t number, std::string_view line) {
  if (const auto excess = find_excess(line)) refuse_row(path, number, excess->cause);
  nlohmann::json row = parse_json(line, path.string());
  const auto kind = row.is_object() ? row.find("kind") : row.end();
  if (kind == row.end() || !kind->is_string()) refuse_row(path, number, "it is not a result row");
  return row;
}

/// Returns the format version that the first row states; 0 if it states none.
int version_in(const nlohmann::json& row) {
  const auto version = row.find("version");
  const bool known =
      version != row.end() && version->is_number_unsigned() && std::in_range<int>(version->get<uint64_t>());
  return known ? version->get<int>() : 0;
}

/// Returns the rows in the complete lines of a file, and sets `seal` to the seal of the last row. Throws
/// Error for devices and pipes, which might not end.
std::vector<nlohmann::json> read_rows(const fs::path& path, RowSeal& seal) {
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored))
    throw Error(path.string() + ": is not a regular file", "give the folder of an interrupted run");
  std::vector<nlohmann::json> rows;
  bool sealed = false;
  read_whole_lines(path, [&](std::string_view line, bool ended) {
    if (!ended) return;
    const size_t number = rows.size() + 1;
    rows.push_back(row_in(path, number, line));
    if (number == 1) sealed = RowSeal::is_sealed(line) || version_in(rows.front()) >= kFirstSealedVersion;
    if (!sealed) return;
    if (!seal.accepts(line))
      refuse_row(path, number,
                 "it is not the row that kjoule wrote here: it was changed, or a row before it is missing");
    rows.back().erase(RowSeal::kField);
  });
  return rows;
}

/// Renames the kinds and fields of rows of earlier versions to the names that are used since version 7.
void rename_older(std::vector<nlohmann::json>& rows) {
  constexpr int kFirstWithTheseNames = 7;
  if (rows.empty() || version_in(rows.front()) >= kFirstWithTheseNames) return;
  for (nlohmann::json& row : rows) {
    if (row.at("kind") == "whole") row["kind"] = "program_iterations";
    if (const auto replays = row.find("plays"); replays != row.end()) {
      row["replays"] = *replays;
      row.erase("plays");
    }
  }
}

}  // namespace

ResultRows::ResultRows(fs::path path, AppendedFile file, std::vector<nlohmann::json> rows, RowSeal seal)
    : path_(std::move(path)), rows_(std::move(rows)), seal_(std::move(seal)), file_(std::move(file)) {}

ResultRows ResultRows::create(const fs::path& path) {
  // The file is not replaced, because it may be locked.
  return {path, AppendedFile(path, AppendedFile::Contents::remove), {}, {}};
}

ResultRows ResultRows::resume(const fs::path& path) {
  RowSeal seal;
  std::vector<nlohmann::json> rows = read_rows(path, seal);
  remove_incomplete_line(path, "{\"");
  return {path, AppendedFile(path, AppendedFile::Contents::keep), std::move(rows), std::move(seal)};
}

RowList ResultRows::read(const fs::path& path) {
  RowSeal seal;
  std::vector<nlohmann::json> rows = read_rows(path, seal);
  rename_older(rows);
  return RowList(std::move(rows));
}

void ResultRows::append(const nlohmann::json& appended) {
  const UninterruptedStep step;  // an error that a signal caused must not become a row
  const nlohmann::json row = with_finite_numbers(appended);
  file_.append(seal_.sealed(dump_json(row)) + '\n');
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
    throw Error(folder.string() + ": is not a folder", "choose a folder with --output-dir");
  if (!fs::is_empty(folder, failed) && !fs::exists(folder / "results.jsonl"))
    throw Error(folder.string() + ": contains files, but no results.jsonl",
                "choose a new folder, or one with older results, with --output-dir");
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
