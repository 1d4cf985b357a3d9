#include "power/meters/wattsup_records.hpp"

#include <algorithm>
#include <cctype>

#include "base/text/parse_number.hpp"
#include "power/logs/cells.hpp"

namespace kjoule {

namespace {

constexpr size_t kLongestRecord = 512;
constexpr size_t kHeaderCells = 3;  // "#d", "-" and the number of values
constexpr size_t kLeastCells = 3;   // watts, volts, amperes
/// Tolerances for rounding, by which power may exceed the product of voltage and current.
constexpr double kPowerSlack = 1.05;
constexpr double kPowerSlack_w = 2;

bool is_whole_number(std::string_view cell) {
  return !cell.empty() && cell.size() < 10 &&
         std::all_of(cell.begin(), cell.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// Returns whether a cell is a number (sign and point are allowed), empty, or "_" for a value that the meter
/// lacks.
bool is_value(std::string_view cell) {
  return cell == "_" || cell.empty() || parse_number(cell).has_value();
}

/// Returns a whole number multiplied by `unit`, or no value for other cells, such as "_".
std::optional<double> scaled(std::string_view cell, double unit) {
  if (!is_whole_number(cell)) return {};
  return *parse_number(cell) * unit;
}

std::optional<WattsupRecord> parse_record(std::string_view text) {
  const Cells cells = split_cells(text);
  if (cells.size() < kHeaderCells + kLeastCells || cells[0] != "#d" || !is_whole_number(cells[2])) return {};
  const Cells values(cells.begin() + kHeaderCells, cells.end());
  if (std::to_string(values.size()) != cells[2]) return {};
  if (!std::all_of(values.begin(), values.end(), is_value)) return {};
  const auto watts = scaled(values[0], 0.1);
  if (!watts) return {};
  WattsupRecord record{.watts = *watts, .volts = scaled(values[1], 0.1), .amperes = scaled(values[2], 1e-3)};
  if (record.volts && record.amperes) {
    const double apparent = *record.volts * *record.amperes;
    if (record.watts > kPowerSlack * apparent + kPowerSlack_w) return {};
  }
  return record;
}

bool blank(std::string_view text) {
  return text.find_first_not_of(std::string_view(" \t\r\n\0", 5)) == std::string_view::npos;
}

}  // namespace

std::vector<WattsupRecord> WattsupRecords::take(std::string_view text) {
  std::vector<WattsupRecord> records;
  pending_ += text;
  size_t from = 0;
  for (size_t end = 0; (end = pending_.find(';', from)) != std::string::npos; from = end + 1) {
    const std::string_view frame(pending_.data() + from, end - from);
    const size_t begin = frame.rfind('#');
    if (begin == std::string_view::npos || !blank(frame.substr(0, begin))) ++unreadable_;
    if (begin == std::string_view::npos || !frame.substr(begin).starts_with("#d")) continue;
    if (const auto record = parse_record(frame.substr(begin)))
      records.push_back(*record);
    else
      ++unreadable_;
  }
  pending_.erase(0, from);
  if (pending_.size() > kLongestRecord) {  // damaged: only the text from the last "#" may become a record
    ++unreadable_;
    const size_t begin = pending_.rfind('#');
    const bool useful = begin != std::string::npos && pending_.size() - begin <= kLongestRecord;
    pending_.erase(0, useful ? begin : pending_.size());
  }
  return records;
}

void WattsupRecords::cut() {
  if (!blank(pending_)) ++unreadable_;
  pending_.clear();
}

}  // namespace kjoule
