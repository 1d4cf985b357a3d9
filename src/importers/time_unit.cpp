#include "importers/time_unit.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace kjoule {

namespace {

/// The beginning of a unit before "s", "sec" or "second", and its power of ten in microseconds. The Greek and
/// the Latin letter mu are different characters.
constexpr std::array<std::pair<std::string_view, int>, 9> kPrefixes = {{{"nano", -3},
                                                                        {"micro", 0},
                                                                        {"milli", 3},
                                                                        {"n", -3},
                                                                        {"u", 0},
                                                                        {"\xc2\xb5", 0},
                                                                        {"\xce\xbc", 0},
                                                                        {"m", 3},
                                                                        {"", 6}}};
constexpr std::string_view kSeconds[] = {"s", "sec", "secs", "second", "seconds"};

std::string_view without_end_spaces(std::string_view text) {
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::optional<int> power_of_unit(std::string_view unit) {
  std::string lower(unit);
  std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  for (const auto& [prefix, power] : kPrefixes) {
    if (!lower.starts_with(prefix)) continue;
    const std::string_view rest = std::string_view(lower).substr(prefix.size());
    if (std::ranges::find(kSeconds, rest) != std::end(kSeconds)) return power;
  }
  return {};
}

HeadingParts split_heading(std::string_view heading) {
  const size_t open = heading.rfind('(');
  if (open == std::string_view::npos || open == 0 || !heading.ends_with(')'))
    return {without_end_spaces(heading), {}};
  return {without_end_spaces(heading.substr(0, open)), heading.substr(open + 1, heading.size() - open - 2)};
}

}  // namespace kjoule
