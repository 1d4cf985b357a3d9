#include "power/logs/power_column.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.hpp"
#include "power/logs/cells.hpp"
#include "power/logs/power_unit.hpp"
#include "power/plausible_power.hpp"

namespace kjoule {

namespace {

/// If no unit is stated and all powers of a log are below this, their unit is not W.
constexpr double kLeastOfLog_w = 1;
/// The number of digits between two separators of thousands.
constexpr size_t kDigitsOfThousands = 3;

/// Returns whether the text may be a unit: letters, the percent sign, or characters beyond ASCII.
bool is_word(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' ||
           static_cast<unsigned char>(c) > 127;
  });
}

}  // namespace

PowerColumn::PowerColumn(std::string name, Scope scope)
    : name_(std::move(name)), scope_(scope), scale_(ColumnTitle(name_).scale) {}

void PowerColumn::refuse(const std::string& cause, const std::string& remedy) const {
  throw Error((name_.empty() ? "" : fmt::format("column {}: ", quoted_begin(name_))) + cause, remedy);
}

std::optional<double> PowerColumn::read_commas(std::string_view& cell) {
  const std::string_view number = cell.substr(0, cell.find_first_not_of("0123456789.,"));
  const size_t comma = number.find(',');
  if (comma == std::string_view::npos) return {};  // the comma follows an exponent
  const bool thousands =
      comma <= kDigitsOfThousands && number.size() - comma - 1 == kDigitsOfThousands && number.front() != '0';
  if (number.find_first_of(".,", comma + 1) != std::string_view::npos ||
      number.find('.') != std::string_view::npos || (thousands && !has_comma_))
    refuse(fmt::format("a comma in {} may separate thousands or decimals", quoted_begin(number)),
           "write powers with decimal points and without separators of thousands");
  has_comma_ = true;
  std::string with_point(number);
  with_point[comma] = '.';
  cell.remove_prefix(number.size());
  double value = 0;
  std::from_chars(with_point.data(), with_point.data() + with_point.size(), value);
  return value;
}

double PowerColumn::scale_of(std::string_view unit) {
  const auto scale = unit.empty() ? std::nullopt : watts_per(unit);
  if (!unit.empty() && !scale)
    refuse(fmt::format("the unit {} of a cell is not known", quoted_begin(unit)),
           "write powers in W, mW or kW");
  if (scale_ && scale && *scale != *scale_)
    refuse(fmt::format("a cell has the unit {}, which contradicts the column's name", quoted_begin(unit)),
           "correct the unit in the column's name or in the cells");
  has_bare_ = has_bare_ || !scale;
  has_other_ = has_other_ || (scale && *scale != 1);
  if (!scale_ && has_bare_ && has_other_)
    refuse("some cells state a unit other than W, and others state none",
           "write the unit of all cells into the column's name");
  return scale.value_or(scale_.value_or(1));
}

std::optional<double> PowerColumn::read(std::string_view cell) {
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || !std::isfinite(value) || value < 0) return {};
  std::string_view rest = cell.substr(static_cast<size_t>(end - cell.data()));
  if (rest.starts_with(',')) {
    const auto with_comma = read_commas(rest = cell);
    if (!with_comma) return {};
    value = *with_comma;
  }
  const std::string_view unit = trimmed(rest);
  if (!is_word(unit)) return {};
  const double watts = value * scale_of(unit);
  if (!is_plausible(watts, scope_))
    refuse(describe_implausible(watts, scope_),
           "state its unit in the column's name (\"power [mW]\"), or remove the line if the value is wrong");
  most_w_ = std::max(most_w_, watts);
  return watts;
}

void PowerColumn::check_unit() const {
  if (scale_ || !has_bare_ || most_w_ == 0 || most_w_ >= kLeastOfLog_w) return;
  refuse(fmt::format("all powers are below 1 W, and no unit is stated (the highest is {:.3g})", most_w_),
         "state the unit in the column's name: \"power [kW]\" or \"power [W]\"");
}

}  // namespace kjoule
