#include "importers/decimal_time.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/files/json_cursor.hpp"

namespace kjoule {

namespace {

using Wide = uint64_t;
constexpr Wide kLargest = INT64_MAX;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Returns digits * 10^power, rounded to the nearest, or no value if it exceeds kLargest.
std::optional<Wide> scale_by_power(Wide digits, int power) {
  for (; power > 0 && digits != 0; --power) {
    if (digits > kLargest / 10) return {};
    digits *= 10;
  }
  bool up = false;
  for (; power < 0 && (digits != 0 || up); ++power) {
    up = digits % 10 >= 5;
    digits /= 10;
  }
  digits += up ? 1 : 0;
  if (digits > kLargest) return {};
  return digits;
}

}  // namespace

std::optional<int64_t> ns_from_us(std::string_view decimal) {
  return ns_from(decimal, 0);
}

std::optional<int64_t> ns_from(std::string_view decimal, int unit_power) {
  decimal = between_quotes(decimal).value_or(decimal);
  const bool negative = decimal.starts_with('-');
  if (negative) decimal.remove_prefix(1);
  Wide digits = 0;
  int power = 3 + unit_power;
  bool point = false, any = false;
  size_t at = 0;
  for (; at < decimal.size(); ++at) {
    if (decimal[at] == '.' && !point) {
      point = true;
    } else if (is_digit(decimal[at])) {
      any = true;
      if (digits <= kLargest / 10) {  // one more digit fits into 64 bits without sign
        digits = digits * 10 + static_cast<Wide>(decimal[at] - '0');
        if (point) --power;
      } else if (!point) {
        ++power;  // digits that do not fit only change the magnitude
      }
    } else {
      break;
    }
  }
  const std::string_view rest = decimal.substr(at);
  if (!any) return {};
  const auto exponent = power_of_exponent(rest);
  if (!exponent || *exponent > 400 || *exponent < -400) return {};
  const auto ns = scale_by_power(digits, power + *exponent);
  if (!ns) return {};
  return negative ? -static_cast<int64_t>(*ns) : static_cast<int64_t>(*ns);
}

std::optional<int> power_of_exponent(std::string_view text) {
  if (text.empty()) return 0;
  if (text[0] != 'e' && text[0] != 'E') return {};
  text.remove_prefix(1);
  if (text.starts_with('+')) text.remove_prefix(text.starts_with("+-") ? 0 : 1);
  int power = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), power);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return power;
}

double half_of_last_digit(std::string_view decimal) {
  const size_t exponent = std::min(decimal.find_first_of("eE"), decimal.size());
  const size_t point = decimal.find('.');
  const int decimals = point < exponent ? static_cast<int>(exponent - point - 1) : 0;
  return 0.5 * std::pow(10., power_of_exponent(decimal.substr(exponent)).value_or(0) - decimals);
}

}  // namespace kjoule
