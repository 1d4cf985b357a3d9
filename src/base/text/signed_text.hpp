#pragma once
#include <fmt/format.h>

#include <string>

namespace kjoule {

/// Returns a number with its sign and `decimals` decimal places. A number that is rounded to 0 has no sign,
/// so that "-0.00" is never printed.
inline std::string signed_text(double value, int decimals) {
  std::string text = fmt::format("{:+.{}f}", value, decimals);
  if (text.find_first_of("123456789in") == std::string::npos) text.erase(0, 1);
  return text;
}

/// Returns a number with `decimals` decimal places, and without a minus sign if it is rounded to 0.
inline std::string decimal_text(double value, int decimals) {
  std::string text = signed_text(value, decimals);
  if (text.front() == '+') text.erase(0, 1);
  return text;
}

}  // namespace kjoule
