#include "power/logs/log_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text/counted.hpp"
#include "base/text/parse_number.hpp"
#include "power/logs/formats/foreign_tools.hpp"
#include "power/logs/power_unit.hpp"
#include "power/timestamp.hpp"

namespace kjoule {

namespace {

/// The most lines that may precede the header: some loggers write a preamble. That of turbostat is longer.
constexpr size_t kLongestPreamble = 100, kLongestOfTurbostat = 2000;

constexpr std::string_view kNoLogRemedy =
    "name its columns with --time-column and --power-column (of power log: --column), or give a log with the "
    "header time,id,pm1,pm2,sum or timestamp,gpu,power_w or that of nvidia-smi";

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
  if (header_error_) std::rethrow_exception(header_error_);
  if (first_line_.empty())
    throw UnknownColumns(name_ + ": is not a power log: all its lines are comments (#)", kNoLogRemedy.data());
  throw UnknownColumns(fmt::format("{}: is not a power log: it begins with {}", name_, first_line_),
                       std::string(kNoLogRemedy));
}

void LogRowReader::check_units() const {
  try {
    for (const std::vector<PowerColumn>& columns : powers_)
      for (const PowerColumn& power : columns) power.check_unit(comment_unit_);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", name_, error.what()), error.remedy());
  }
}

void LogRowReader::check_points() const {
  try {
    for (const std::vector<PowerColumn>& columns : powers_)
      for (const PowerColumn& power : columns) power.check_points();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", name_, error.what()), error.remedy());
  }
}

std::vector<std::string> LogRowReader::warnings() const {
  std::vector<std::string> warnings;
  if (preamble_ > 0)
    warnings.push_back(fmt::format("{} before the header skipped (the first begins with {})",
                                   counted(preamble_, "line"), first_line_));
  return warnings;
}

void LogRowReader::note_comment(std::string_view line) {
  if (comment_unit_.empty()) comment_unit_ = other_unit_in(line);
}

void LogRowReader::set_text_columns() {
  titles_ = text_->titles();
  if (!names_.any()) {
    columns_ = text_->columns();
    return;
  }
  columns_ = named_columns(titles_, names_);
  columns_->format = text_->columns().format;
  columns_->count = titles_.size();
  columns_->keys = text_->columns().keys;
  for (LogColumns::Value& value : columns_->values) value.zero_is_power = !value.added.empty();
}

void LogRowReader::find_text_format(std::string_view line) {
  try {
    text_ = text_format_of(line);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", name_, error.what()), error.remedy());
  }
}

bool LogRowReader::find_header(std::string_view line) {
  find_text_format(line);
  try {
    if (!text_ && line.starts_with('#')) {
      if (!names_.any()) refuse_foreign_tool(line);
      note_comment(line);
      return false;
    }
    if (text_)
      set_text_columns();
    else
      columns_ = find_columns(line, names_);
    if (!columns_ && !names_.any()) refuse_foreign_tool(line);
  } catch (const Error& error) {
    const std::string cause = fmt::format("{}: {}", name_, error.what());
    if (dynamic_cast<const UnknownColumns*>(&error) != nullptr)
      skip_before_header(line, std::make_exception_ptr(UnknownColumns(cause, error.remedy())));
    else if (!text_ && names_.any())
      skip_before_header(line, std::make_exception_ptr(Error(cause, error.remedy())));
    else
      throw Error(cause, error.remedy());
  }
  return columns_.has_value();
}

void LogRowReader::open_powers() {
  const auto unit_w = text_ && !names_.unit_w ? watts_per(text_->unit()) : names_.unit_w;
  const auto open = [&](size_t column) {
    const std::string title = columns_->has_header ? titles_[column] : std::string();
    return PowerColumn(title, columns_->scope(), unit_w);
  };
  for (const LogColumns::Value& value : columns_->values) {
    std::vector<PowerColumn> columns{open(value.column)};
    for (const size_t column : value.added) columns.push_back(open(column));
    powers_.push_back(std::move(columns));
  }
}

/// Counts a line before the header. Of the errors of these lines, that of the line with the most cells is
/// kept: it is most like a header.
void LogRowReader::skip_before_header(std::string_view line, std::exception_ptr error) {
  note_comment(line);
  Cells cells;
  split_cells(line, separator_of(line), cells);
  if (cells.size() > titles_.size()) {
    titles_.assign(cells.begin(), cells.end());
    header_error_ = std::move(error);
  }
  const bool is_turbostat = first_line_.starts_with("\"turbostat");
  if (++preamble_ >= (is_turbostat ? kLongestOfTurbostat : kLongestPreamble)) check_header();
}

bool LogRowReader::take_header(std::string_view line) {
  if (first_line_.empty() && !line.starts_with('#')) first_line_ = quoted_begin(line);
  const size_t skipped = preamble_;
  if (!find_header(line)) {
    if (preamble_ == skipped && !line.starts_with('#')) skip_before_header(line, {});
    return false;
  }
  if (!text_) {
    split_cells(line, columns_->separator, cells_);
    titles_.assign(cells_.begin(), cells_.end());
  }
  try {
    open_powers();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", name_, error.what()), error.remedy());
  }
  if (!text_ && columns_->has_header) header_ = line;
  return text_ || !columns_->has_header;
}

const LogRow* LogRowReader::read(std::string_view line) {
  ++line_;
  line = without_mark(line);
  if (line.find_first_not_of(" \t,;") == std::string_view::npos) return nullptr;
  if (columns_ && !text_ && line == header_) return nullptr;  // joined logs repeat the header
  if (!columns_ && !take_header(line)) return nullptr;
  if (text_) return read_text_row(line);
  read_row(line);
  const bool odd = row_.state == LogRow::State::too_short || row_.state == LogRow::State::unreadable;
  if (odd && line.starts_with('#')) note_comment(line);
  const bool may_have_units = odd || (!has_readings_ && row_.state == LogRow::State::partial);
  if ((may_have_units && takes_units()) || (odd && repeats_header(line))) return nullptr;
  has_readings_ = has_readings_ || row_.state == LogRow::State::complete;
  return &row_;
}

const LogRow* LogRowReader::read_text_row(std::string_view line) {
  TextFormat::Line kind = TextFormat::Line::other;
  row_.state = LogRow::State::damaged;
  row_.watts.clear();
  try {
    kind = text_->split(line, cells_);
    if (kind == TextFormat::Line::row && cells_.size() >= columns_->count) fill_row();
  } catch (const Error& error) {
    refuse(error.what(), error.remedy());
  }
  return kind == TextFormat::Line::other ? nullptr : &row_;
}

void LogRowReader::read_row(std::string_view line) {
  split_cells(line, columns_->separator, cells_);
  row_.state = LogRow::State::too_short;
  row_.watts.clear();
  if (cells_.size() < columns_->count) return;
  try {
    fill_row();
  } catch (const Error& error) {
    refuse(error.what(), error.remedy());
  }
  check_surplus();
  if (columns_->sum) row_.sum = parse_number(cells_[*columns_->sum]);
}

void LogRowReader::fill_row() {
  row_.state = LogRow::State::complete;
  row_.time = cells_[columns_->time];
  if (columns_->time_of_day) {
    time_.assign(row_.time).append(" ").append(cells_[*columns_->time_of_day]);
    row_.time = time_;
  }
  if (columns_->device) row_.device = cells_[*columns_->device];
  row_.keys.clear();
  for (const LogColumns::Key& key : columns_->keys) row_.keys.push_back(cells_[key.column]);
  read_powers();
}

void LogRowReader::read_powers() {
  for (size_t v = 0; v < powers_.size(); ++v) {
    auto watts = read_value(v);
    if (watts == 0.0) {
      if (!columns_->values[v].part) row_.state = std::max(row_.state, LogRow::State::zero);
      watts.reset();
    }
    row_.watts.push_back(watts);
  }
}

/// Returns the power of a value, which is the sum of the powers of its columns; 0 if one of them is 0 and
/// this is no power.
std::optional<double> LogRowReader::read_value(size_t v) {
  const LogColumns::Value& value = columns_->values[v];
  double sum = 0;
  bool is_zero = false, is_missing = false;
  for (size_t c = 0; c < powers_[v].size(); ++c) {
    const std::string_view cell = cells_[c == 0 ? value.column : value.added[c - 1]];
    const auto watts = powers_[v][c].read(cell);
    is_missing = is_missing || !watts;
    is_zero = is_zero || watts == 0.0;
    sum += watts.value_or(0);
    if (!watts && !value.part)
      row_.state =
          std::max(row_.state, is_missing_reading(cell) ? LogRow::State::partial : LogRow::State::unreadable);
  }
  if (is_missing) return {};
  return is_zero && !value.zero_is_power ? 0 : sum;
}

bool LogRowReader::takes_units() {
  if (row_.state != LogRow::State::unreadable && row_.state != LogRow::State::partial) return false;
  if (parse_number(row_.time) || !moments_of(row_.time).empty()) return false;  // the line has a time
  const auto states_unit = [&](size_t column) {
    const std::string_view cell = trimmed(cells_[column], " []()");
    return watts_per_step(cell) || is_unit(cell);
  };
  for (const LogColumns::Value& value : columns_->values)
    if (!states_unit(value.column) || !std::all_of(value.added.begin(), value.added.end(), states_unit))
      return false;
  if (has_readings_)
    refuse("it has units, but readings precede it",
           "split the file before this line, and give one of the parts");
  try {
    for (size_t v = 0; v < powers_.size(); ++v)
      for (size_t c = 0; c < powers_[v].size(); ++c) {
        const LogColumns::Value& value = columns_->values[v];
        powers_[v][c].set_unit(trimmed(cells_[c == 0 ? value.column : value.added[c - 1]], " []()"));
      }
  } catch (const Error& error) {
    refuse(error.what(), error.remedy());
  }
  return true;
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
