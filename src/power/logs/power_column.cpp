#include "power/logs/power_column.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
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
/// If all numbers with a point, read as decimals, are below the others by this factor, the points rather
/// separate thousands.
constexpr double kLeastJump = 2;
/// The number of digits between two separators of thousands.
constexpr size_t kDigitsOfThousands = 3;

/// Returns whether the text may be a unit: letters, the percent sign, or characters beyond ASCII.
bool is_word(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' ||
           static_cast<unsigned char>(c) > 127;
  });
}

/// Returns whether a column's name is that of one GPU ("GPU1", "gpu_power_w"), not of several ("gpus").
bool names_one_gpu(std::string_view name) {
  const std::string low = lower(name);
  for (const std::string_view several : {"gpus", "total", "sum", "all", "node", "system"})
    if (low.find(several) != std::string::npos) return false;
  return low.find("gpu") != std::string::npos;
}

/// Returns whether the text after a number goes on with a further group of digits: " 050", ".000".
bool begins_with_group(std::string_view text) {
  constexpr std::array<std::string_view, 5> kSeparators{" ", "'", "_", "\xC2\xA0", "\xE2\x80\xAF"};
  for (const std::string_view separator : kSeparators)
    if (text.starts_with(separator) && text.size() > separator.size() &&
        std::isdigit(static_cast<unsigned char>(text[separator.size()])) != 0)
      return true;
  const size_t digits = text.find_first_not_of("0123456789", 1);
  return text.starts_with('.') && std::min(digits, text.size()) == 1 + kDigitsOfThousands;
}

constexpr const char* kNumberRemedy = "write powers with decimal points and without separators of thousands";

}  // namespace

PowerColumn::PowerColumn(std::string name, Scope scope, std::optional<double> stated_w)
    : name_(std::move(name)),
      scope_(scope),
      one_gpu_(scope == Scope::gpu || names_one_gpu(name_)),
      stated_(stated_w.has_value()),
      scale_(stated_w ? stated_w : ColumnTitle(name_).scale) {}

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
           kNumberRemedy);
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
    refuse(fmt::format("a cell has the unit {}, which contradicts {}", quoted_begin(unit),
                       stated_ ? "--unit" : "the column's name"),
           stated_ ? "omit --unit" : "correct the unit in the column's name or in the cells");
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
  if (begins_with_group(rest))
    refuse(fmt::format("{} may be one number whose thousands are separated", quoted_begin(cell)),
           kNumberRemedy);
  const std::string_view unit = trimmed(rest);
  if (!is_word(unit)) return {};
  judge_point(cell.substr(0, cell.size() - rest.size()), value);
  const double watts = value * scale_of(unit);
  check_plausible(watts, !unit.empty());
  most_w_ = std::max(most_w_, watts);
  has_fraction_ = has_fraction_ || value != std::floor(value);
  return watts;
}

void PowerColumn::check_plausible(double watts, bool has_unit) const {
  if (!is_plausible(watts, scope_))
    refuse(
        describe_implausible(watts, scope_),
        "state its unit with --unit mW or in the column's name (\"power [mW]\"), or remove the line if the "
        "value is wrong");
  if (one_gpu_ && watts > kMostOfOneGpu_w && !stated_)
    refuse(fmt::format("{:.6g} W, which no single GPU consumes, {}", watts,
                       scale_ || has_unit ? "so the log may state a wrong unit" : "and no unit is stated"),
           "state the unit: --unit mW, or --unit W if these are powers of several GPUs");
}

void PowerColumn::judge_point(std::string_view number, double value) {
  const size_t point = number.find('.');
  if (number.find_first_not_of("0123456789.") != std::string_view::npos) {
    has_decimals_ = true;
  } else if (point == std::string_view::npos) {
    if (value == 0) return;
    least_whole_ = least_whole_ == 0 ? value : std::min(least_whole_, value);
    most_whole_ = std::max(most_whole_, value);
  } else if (number.size() - point - 1 == kDigitsOfThousands && point <= kDigitsOfThousands &&
             number.front() != '0') {
    most_grouped_ = std::max(most_grouped_, value);
  } else {
    has_decimals_ = true;
  }
}

void PowerColumn::check_points() const {
  // Read as decimals, the numbers with a point are far below the others, which have at most three digits.
  if (has_decimals_ || most_grouped_ == 0 || least_whole_ == 0) return;
  if (most_whole_ >= 1000 || most_grouped_ * kLeastJump > least_whole_) return;
  refuse(fmt::format("a point in {:.3f} may separate thousands, because other cells have up to {:g}",
                     most_grouped_, most_whole_),
         kNumberRemedy);
}

void PowerColumn::set_unit(std::string_view unit) {
  const auto scale = watts_per_step(unit);
  if (!scale)
    refuse(fmt::format("the unit {} in the second line of the header is not known", quoted_begin(unit)),
           "state the unit with --unit, and remove this line");
  if (scale_ && *scale_ != *scale)
    refuse(fmt::format("the second line of the header has the unit {}, which contradicts {}",
                       quoted_begin(unit), stated_ ? "--unit" : "the column's name"),
           stated_ ? "omit --unit" : "state the right unit with --unit, and remove this line");
  scale_ = scale;
}

void PowerColumn::check_unit(std::string_view comment_unit) const {
  if (scale_ || !has_bare_ || most_w_ == 0) return;
  if (!comment_unit.empty())
    refuse(fmt::format("no unit is stated, but a comment of the log mentions {}", quoted_begin(comment_unit)),
           fmt::format("state the unit: --unit {}, or --unit W",
                       watts_per(comment_unit) || comment_unit == "uW" ? comment_unit : "mW"));
  if (most_w_ > kMostOfOneGpu_w && !has_fraction_ && scope_ == Scope::unknown)
    refuse(fmt::format("whole numbers up to {:.6g} and no unit is stated: they may be mW", most_w_),
           "state the unit: --unit mW, or --unit W");
  if (most_w_ >= kLeastOfLog_w) return;
  refuse(fmt::format("all powers are below 1 W, and no unit is stated (the highest is {:.3g})", most_w_),
         "state the unit in the column's name: \"power [kW]\" or \"power [W]\", or with --unit");
}

}  // namespace kjoule
