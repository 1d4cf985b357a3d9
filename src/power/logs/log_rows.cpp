#include "power/logs/log_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text/parse_number.hpp"

namespace kjoule {

namespace {

/// The most lines that may precede the header: some loggers write a preamble.
constexpr size_t kLongestPreamble = 10;

constexpr std::string_view kNoLogRemedy =
    "name its columns with --time-column and --power-column (of power log: --column), or give a log with the "
    "header time,id,pm1,pm2,sum or timestamp,gpu,power_w or that of nvidia-smi";

/// Returns whether a cell begins like a name, and not like a number or a time.
bool begins_like_name(std::string_view cell) {
  return !cell.empty() && std::string_view("+-.,0123456789").find(cell.front()) == std::string_view::npos;
}

/// Returns whether the first line of a file is in UTF-16: it begins with a byte-order mark, or with a letter
/// and a zero byte.
bool is_utf16(std::string_view line) {
  if (line.starts_with("\xFF\xFE") || line.starts_with("\xFE\xFF")) return true;
  const auto letter = [&](size_t at) { return line[at] > ' ' && line[at] <= '~'; };
  return line.size() > 1 && ((letter(0) && line[1] == '\0') || (line[0] == '\0' && letter(1)));
}

}  // namespace

LogRowReader::LogRowReader(std::string name, ColumnNames columns)
    : name_(std::move(name)), names_(std::move(columns)) {}

void LogRowReader::refuse(const std::string& cause, const std::string& remedy) const {
  throw Error(fmt::format("{}: line {}: {}", name_, line_, cause), remedy);
}

std::string_view LogRowReader::without_mark(std::string_view line) const {
  if (line_ == 1 && is_utf16(line))
    throw Error(name_ + ": is written in UTF-16", "save it as UTF-8 (iconv -f UTF-16 -t UTF-8)");
  if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);  // also where logs were joined
  return line;
}

void LogRowReader::check_header() const {
  if (columns_) return;
  if (line_ == 0) throw Error(name_ + ": is empty", "check that the logger was running");
  throw Error(fmt::format("{}: is not a power log: it begins with {}", name_, first_line_),
              std::string(kNoLogRemedy));
}

void LogRowReader::check_units() const {
  try {
    for (const PowerColumn& power : powers_) power.check_unit();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", name_, error.what()), error.remedy());
  }
}

bool LogRowReader::take_header(std::string_view line) {
  if (line.starts_with('#')) return false;
  if (first_line_.empty()) first_line_ = quoted_begin(line);
  try {
    columns_ = find_columns(line, names_);
    if (columns_)
      for (const LogColumns::Value& value : columns_->values)
        powers_.emplace_back(value.title, columns_->scope());
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", name_, error.what()), error.remedy());
  }
  if (!columns_ && ++preamble_ >= kLongestPreamble) check_header();
  if (!columns_) return false;
  if (columns_->has_header) header_ = line;
  return !columns_->has_header;
}

const LogRow* LogRowReader::read(std::string_view line) {
  ++line_;
  line = without_mark(line);
  if (line.find_first_not_of(" \t,;") == std::string_view::npos) return nullptr;
  if (columns_ && line == header_) return nullptr;  // joined logs repeat the header
  if (!columns_ && !take_header(line)) return nullptr;
  read_row(line);
  const bool odd = row_.state == LogRow::State::too_short || row_.state == LogRow::State::unreadable;
  return odd && repeats_header(line) ? nullptr : &row_;
}

void LogRowReader::read_row(std::string_view line) {
  split_cells(line, columns_->separator, cells_);
  row_.state = LogRow::State::too_short;
  row_.watts.clear();
  if (cells_.size() < columns_->count) return;
  row_.state = LogRow::State::complete;
  row_.time = cells_[columns_->time];
  if (columns_->device) row_.device = cells_[*columns_->device];
  try {
    read_powers();
  } catch (const Error& error) {
    refuse(error.what(), error.remedy());
  }
  check_surplus();
  if (columns_->sum) row_.sum = parse_number(cells_[*columns_->sum]);
}

void LogRowReader::read_powers() {
  const auto worsen = [this](LogRow::State state) { row_.state = std::max(row_.state, state); };
  for (size_t v = 0; v < powers_.size(); ++v) {
    const std::string_view cell = cells_[columns_->values[v].column];
    auto watts = powers_[v].read(cell);
    if (!watts) worsen(is_missing_reading(cell) ? LogRow::State::partial : LogRow::State::unreadable);
    if (watts == 0.0) {
      worsen(LogRow::State::zero);
      watts.reset();
    }
    row_.watts.push_back(watts);
  }
}

/// A surplus cell may contain the decimals of the cell before it, or shift all cells after it.
void LogRowReader::check_surplus() const {
  if (row_.state == LogRow::State::unreadable) return;
  for (size_t c = columns_->count; c < cells_.size(); ++c)
    if (!cells_[c].empty())
      refuse(fmt::format("it has more cells than the header ({}, not {})", cells_.size(), columns_->count),
             "name all columns in the header; if numbers have decimal commas, separate cells by semicolons");
}

bool LogRowReader::repeats_header(std::string_view line) const {
  std::optional<LogColumns> other;
  for (const ColumnNames& names : {names_, ColumnNames()}) {
    if (other) break;
    try {
      other = find_columns(line, names);
    } catch (const Error&) {  // The line lacks a column that the user named, but it may still be a header.
    }
  }
  if (other == columns_) return true;
  const auto names_column = [&](const LogColumns::Value& value) {
    const std::string_view cell = cells_[value.column];
    return begins_like_name(cell) && !is_missing_reading(cell);
  };
  const bool names_all = row_.state == LogRow::State::unreadable && cells_.size() == columns_->count &&
                         begins_like_name(row_.time) &&
                         std::all_of(columns_->values.begin(), columns_->values.end(), names_column);
  if ((other && other->has_header) || names_all)
    refuse(fmt::format("{} is another header, which differs from the first", quoted_begin(line)),
           "split the file before this line, and give one of the parts");
  return false;
}

}  // namespace kjoule
