#include "power/logs/elapsed_time.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "base/text/parse_number.hpp"
#include "power/logs/cells.hpp"

namespace kjoule {

namespace {

/// The longest log, s; later times would overflow as nanoseconds.
constexpr double kLongest_s = 1e9;

/// Returns the seconds in one unit of a column of times.
double seconds_per(std::string_view title) {
  constexpr std::array<std::pair<std::string_view, double>, 8> kUnits{{{"ms", 1e-3},
                                                                       {"msec", 1e-3},
                                                                       {"milliseconds", 1e-3},
                                                                       {"us", 1e-6},
                                                                       {"microseconds", 1e-6},
                                                                       {"ns", 1e-9},
                                                                       {"min", 60},
                                                                       {"minutes", 60}}};
  const std::string low = lower(trimmed(title, " \t[]()"));
  const size_t before = low.find_last_of(" _/[(");
  const std::string_view last = std::string_view(low).substr(before == std::string::npos ? 0 : before + 1);
  for (const auto& [unit, seconds] : kUnits)
    if (last == unit) return seconds;
  return 1;
}

/// Returns the number that a text with a decimal point or comma states, if it is at least 0.
std::optional<double> number_of(std::string_view text) {
  std::string with_point(text);
  std::replace(with_point.begin(), with_point.end(), ',', '.');
  const auto number = parse_number(with_point);
  return number && *number >= 0 ? number : std::nullopt;
}

/// Returns the seconds of "HH:MM:SS.fff" or "MM:SS".
std::optional<double> seconds_of_clock(std::string_view text) {
  double seconds = 0;
  while (true) {
    const size_t colon = text.find(':');
    const auto number = number_of(text.substr(0, colon));
    if (!number) return {};
    seconds = 60 * seconds + *number;
    if (colon == std::string_view::npos) return seconds;
    text.remove_prefix(colon + 1);
  }
}

}  // namespace

std::optional<int64_t> read_elapsed_time(std::string_view text, std::string_view title) {
  const bool is_clock = text.find(':') != std::string_view::npos;
  auto seconds = is_clock ? seconds_of_clock(text) : number_of(text);
  if (!seconds) return {};
  if (!is_clock) *seconds *= seconds_per(title);
  if (*seconds > kLongest_s) return {};
  return std::llround(*seconds * 1e9);
}

}  // namespace kjoule
