#include "sampling/sample_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/files/csv_rows.hpp"
#include "base/files/files.hpp"
#include "base/files/output_place.hpp"
#include "base/json/dump_json.hpp"
#include "base/process/signal_handler.hpp"
#include "base/text/parse_number.hpp"

namespace kjoule {

namespace fs = std::filesystem;

namespace {

/// Parses a whole number, "4" or "4.0".
int64_t whole_number(const std::string& cell, const fs::path& path, size_t line) {
  const auto number = parse_number(cell);
  if (!number || *number != std::floor(*number) || std::abs(*number) > 1e15)
    throw Error(fmt::format("{}:{}: {} is not a size (a whole number)", path.string(), line, cell),
                "correct the line, or move the file away");
  return static_cast<int64_t>(*number);
}

/// Replaces a file by a copy of itself, or creates an empty file.
void replace_by_copy(const fs::path& path) {
  constexpr size_t kLargestPart = size_t{1} << 30;
  const OutputPlace place(path);  // a link or a pipe is refused before it is read
  place.replace(fs::exists(path) ? read_text(path, kLargestPart) : "");
}

}  // namespace

SampleFiles::SampleFiles(const fs::path& folder, const std::string& name, std::vector<std::string> parameters,
                         const std::vector<std::string>& time_columns, Ownership ownership)
    : csv_path_(folder / (name + ".csv")),
      jsonl_path_(folder / (name + ".jsonl")),
      parameters_(std::move(parameters)) {
  make_subfolder(folder);
  if (ownership == Ownership::lock)
    lock_ = std::make_unique<FileLock>(jsonl_path_);
  else
    replace_by_copy(jsonl_path_);
  const OutputPlace csv(csv_path_);  // a link or a pipe is refused before it is read
  std::vector<std::string> columns = parameters_;
  columns.insert(columns.end(), time_columns.begin(), time_columns.end());
  const std::string header = fmt::format("{}", fmt::join(columns, ","));
  shapes_in_csv_ = read_csv(header);
  if (!shapes_in_csv_.empty() && fs::file_size(jsonl_path_) == 0)
    throw Error(fmt::format("{}: has rows, but {}, which describes how they were measured, is empty",
                            csv_path_.string(), jsonl_path_.filename().string()),
                "restore the second file, or move both files away");
  read_jsonl();
  if (ownership == Ownership::take_over) replace_csv(header);
  csv_file_.emplace(csv_path_, AppendedFile::Contents::keep);
  jsonl_file_.emplace(jsonl_path_, AppendedFile::Contents::keep);
  if (csv_file_->bytes() == 0) csv_file_->append(header + "\n");
  for (const auto& [shape, row] : rows_) add_to_csv(row);
}

void SampleFiles::replace_csv(const std::string& header) {
  std::string text = header + "\n";
  shapes_in_csv_.clear();
  for (const auto& [shape, row] : rows_) {
    if (row.answer.status != SampleStatus::measured) continue;
    text += to_csv(row) + "\n";
    shapes_in_csv_.insert(shape);
  }
  write_atomic(csv_path_, text);
}

const SampleRow* SampleFiles::row(const SampleShape& shape) const {
  const auto found = rows_.find(shape);
  return found == rows_.end() ? nullptr : &found->second;
}

void SampleFiles::add_to_csv(const SampleRow& row) {
  if (row.answer.status != SampleStatus::measured || !shapes_in_csv_.insert(row.shape).second) return;
  csv_file_->append(to_csv(row) + "\n");
}

std::set<SampleShape> SampleFiles::read_csv(const std::string& header) {
  if (!fs::exists(csv_path_)) return {};
  std::string text = read_text(csv_path_);
  if (!text.empty() && !text.ends_with('\n')) {
    remove_incomplete_line(csv_path_, header);
    text.resize(text.rfind('\n') + 1);  // 0 without a line end
  }
  CsvRows rows(text, csv_path_.string());
  std::vector<std::string> cells;
  std::set<SampleShape> shapes;
  if (!rows.next(cells)) return shapes;
  if (fmt::format("{}", fmt::join(cells, ",")) != header)
    throw Error(
        fmt::format("{}:1: has columns {} instead of {}", csv_path_.string(), fmt::join(cells, ","), header),
        "move the file away, or choose another folder with -o");
  while (rows.next(cells)) {
    if (cells.size() <= parameters_.size())
      throw Error(
          fmt::format("{}:{}: the line has only {} cells", csv_path_.string(), rows.line(), cells.size()),
          "correct the line, or move the file away");
    SampleShape shape;
    for (size_t i = 0; i < parameters_.size(); ++i)
      shape.push_back(whole_number(cells[i], csv_path_, rows.line()));
    shapes.insert(std::move(shape));
  }
  return shapes;
}

void SampleFiles::read_jsonl() {
  if (!fs::exists(jsonl_path_)) return;
  remove_incomplete_line(jsonl_path_, "{\"run\":");
  const SampledRun run = read_sample_rows(
      jsonl_path_, parameters_, [this](SampleRow row) { rows_.insert_or_assign(row.shape, std::move(row)); });
  definition_ = run.definition;
}

void SampleFiles::check_definition(const nlohmann::json& wanted, const std::string& file) const {
  const bool any = !shapes_in_csv_.empty() || std::any_of(rows_.begin(), rows_.end(), [](const auto& named) {
    return named.second.answer.status != SampleStatus::error;
  });
  const std::string differs = difference(definition_, wanted);
  if (any && !differs.empty())
    throw Error(
        fmt::format("{}: was sampled with other settings than {}: {}", jsonl_path_.string(), file, differs),
        "choose another kernel_name, or another folder with -o");
}

void SampleFiles::begin_run(const nlohmann::ordered_json& run) {
  jsonl_file_->append(dump_json(nlohmann::ordered_json{{"run", run}}) + "\n");
}

void SampleFiles::add(const SampleRow& row) {
  const UninterruptedStep step;  // a signal ends the run before an error that it caused becomes a row
  if (jsonl_file_->is_replaced())
    throw Error(jsonl_path_.string() + ": another process has replaced or removed this file",
                "if another job continues this part, nothing is lost; otherwise repeat the command");
  jsonl_file_->append(dump_json(to_json(row, parameters_)) + "\n");
  add_to_csv(row);
  rows_.insert_or_assign(row.shape, row);
}

}  // namespace kjoule
