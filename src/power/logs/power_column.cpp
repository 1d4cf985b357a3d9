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

/// Powers below this in a whole log are in another unit, if no unit is stated.
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
  if (comma == std::string_view::npos) return {};  // it follows an exponent
  const bool thousands =
      comma <= kDigitsOfThousands && number.size() - comma - 1 == kDigitsOfThousands && number.front() != '0';
  if (number.find_first_of(".,", comma + 1) != std::string_view::npos ||
      number.find('.') != std::string_view::npos || (thousands && !has_comma_))
    refuse(fmt::format("{} may have separators of thousands", quoted_begin(number)),
           "write powers without them, and with decimal points");
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
    refuse(fmt::format("a cell in {} contradicts the column's name", quoted_begin(unit)),
           "correct the name or the cells");
  has_bare_ = has_bare_ || !scale;
  has_other_ = has_other_ || (scale && *scale != 1);
  if (!scale_ && has_bare_ && has_other_)
    refuse("some cells state a unit, others do not", "write the unit of all cells into the column's name");
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
    refuse(
        describe_implausible(watts, scope_),
        "if it is in another unit, name the column so: \"power [mW]\"; if it is a defect, remove the line");
  most_w_ = std::max(most_w_, watts);
  return watts;
}

void PowerColumn::check_unit() const {
  if (scale_ || !has_bare_ || most_w_ == 0 || most_w_ >= kLeastOfLog_w) return;
  refuse(fmt::format("all powers are below 1 W (at most {:.3g}), and no unit is stated", most_w_),
         "name the column with its unit: \"power [kW]\", or \"power [W]\" if that is right");
}

}  // namespace kjoule
