#include "importers/digit_style.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kjoule {

namespace {

bool is_decimal_digit(char c) {
  return c >= '0' && c <= '9';
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_decimal_digit);
}

std::string_view without_spaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// Returns whether `text` is one to three digits, followed by groups of three digits that `separator`
/// separates. The first digit of such a number is not 0.
bool has_groups(std::string_view text, char separator) {
  const size_t first = std::min(text.find(separator), text.size());
  if (first == 0 || first > 3 || first == text.size() || text[0] == '0' || !all_digits(text.substr(0, first)))
    return false;
  for (text.remove_prefix(first); !text.empty(); text.remove_prefix(4))
    if (text.size() < 4 || text[0] != separator || !all_digits(text.substr(1, 3))) return false;
  return true;
}

/// The digits of a number before its exponent, without sign.
std::string_view digits_of(std::string_view cell) {
  cell = without_spaces(cell);
  if (cell.starts_with('-') || cell.starts_with('+')) cell.remove_prefix(1);
  return cell.substr(0, cell.find_first_of("eE"));
}

bool is_number_with_separators(std::string_view digits) {
  return !digits.empty() && is_decimal_digit(digits[0]) &&
         std::ranges::all_of(digits, [](char c) { return is_decimal_digit(c) || c == '.' || c == ','; });
}

void remember(std::string& first, std::string_view cell) {
  if (first.empty()) first = cell;
}

}  // namespace

void DigitStyle::observe(std::string_view cell, bool is_whole) {
  const std::string_view digits = digits_of(cell);
  if (!is_number_with_separators(digits)) return;
  const size_t comma = digits.rfind(','), point = digits.rfind('.');
  const auto commas = std::ranges::count(digits, ','), points = std::ranges::count(digits, '.');
  if (comma == std::string_view::npos && point == std::string_view::npos) return;
  if (commas > 0 && points > 0) {
    remember(comma < point ? grouping_comma_ : decimal_comma_, cell);
  } else if (commas > 0) {
    if (!has_groups(digits, ','))
      remember(decimal_comma_, cell);
    else
      remember(commas > 1 || is_whole ? grouping_comma_ : unclear_, cell);
  } else if (!has_groups(digits, '.')) {
    remember(decimal_point_, cell);
  } else if (points > 1) {
    remember(grouping_point_, cell);
  } else if (is_whole && !digits.ends_with(".000")) {
    remember(grouping_point_of_count_, cell);
  }
}

bool DigitStyle::has_fraction_after_comma() const {
  return !decimal_comma_.empty() || !grouping_point_.empty() || !grouping_point_of_count_.empty();
}

std::string DigitStyle::conflict() const {
  const std::string& comma = !decimal_comma_.empty()    ? decimal_comma_
                             : !grouping_point_.empty() ? grouping_point_
                                                        : grouping_point_of_count_;
  const std::string& point = !grouping_comma_.empty() ? grouping_comma_ : decimal_point_;
  if (comma.empty() || point.empty()) return {};
  return fmt::format("the numbers \"{}\" and \"{}\" are written in different ways", comma, point);
}

std::string DigitStyle::ambiguity() const {
  const bool is_known = !decimal_comma_.empty() || !grouping_point_.empty() || !grouping_comma_.empty() ||
                        !decimal_point_.empty();
  const std::string& unclear = !grouping_point_of_count_.empty() ? grouping_point_of_count_ : unclear_;
  if (is_known || unclear.empty()) return conflict();
  std::string fraction = unclear, grouped = unclear;
  std::ranges::replace(fraction, ',', '.');
  std::erase_if(grouped, [](char c) { return c == ',' || c == '.'; });
  return fmt::format("the number \"{}\" may be {} or {}", unclear, grouped, fraction);
}

std::optional<std::string> DigitStyle::plain(std::string_view cell) const {
  cell = without_spaces(cell);
  const std::string_view digits = digits_of(cell);
  if (!is_number_with_separators(digits)) return {};
  const char group = has_fraction_after_comma() ? '.' : ',', mark = has_fraction_after_comma() ? ',' : '.';
  const size_t end = std::min(digits.find(mark), digits.size());
  const std::string_view whole = digits.substr(0, end);
  if (!all_digits(whole) && !has_groups(whole, group)) return {};
  if (end < digits.size() && end + 1 < digits.size() && !all_digits(digits.substr(end + 1))) return {};
  std::string number(cell);
  std::erase(number, group);
  std::ranges::replace(number, mark, '.');
  return number;
}

}  // namespace kjoule
