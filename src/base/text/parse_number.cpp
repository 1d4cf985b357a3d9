#include "base/text/parse_number.hpp"

#include <charconv>
#include <cmath>

namespace kjoule {

namespace {

template <class Number>
std::optional<Number> parse_all(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  const std::optional<double> number = parse_all<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<int64_t> parse_whole_number(std::string_view text) {
  return parse_all<int64_t>(text);
}

std::optional<uint64_t> parse_unsigned_number(std::string_view text) {
  return parse_all<uint64_t>(text);
}

}  // namespace kjoule
