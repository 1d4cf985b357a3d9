#include "base/text/parse_number.hpp"

#include <charconv>
#include <cmath>

namespace kjoule {

std::optional<double> parse_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) return {};
  return number;
}

}  // namespace kjoule
