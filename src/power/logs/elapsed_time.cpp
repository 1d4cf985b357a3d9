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

/// Returns the seconds in a unit of time such as "ms"; no value for other texts.
std::optional<double> seconds_in(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, double>, 11> kUnits{{{"s", 1},
                                                                        {"sec", 1},
                                                                        {"seconds", 1},
                                                                        {"ms", 1e-3},
                                                                        {"msec", 1e-3},
                                                                        {"milliseconds", 1e-3},
                                                                        {"us", 1e-6},
                                                                        {"microseconds", 1e-6},
                                                                        {"ns", 1e-9},
                                                                        {"min", 60},
                                                                        {"minutes", 60}}};
  const auto* const found = std::ranges::find(kUnits, unit, &std::pair<std::string_view, double>::first);
  return found == kUnits.end() ? std::nullopt : std::optional(found->second);
}

/// Returns the seconds in one unit of a column of times.
double seconds_per(std::string_view title) {
  const std::string low = lower(trimmed(title, " \t[]()"));
  const size_t before = low.find_last_of(" _/[(");
  return seconds_in(std::string_view(low).substr(before == std::string::npos ? 0 : before + 1)).value_or(1);
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
  constexpr int kMostParts = 3;
  double seconds = 0;
  for (int part = 0; part < kMostParts; ++part) {
    const size_t colon = text.find(':');
    const auto number = number_of(text.substr(0, colon));
    if (!number) return {};
    seconds = 60 * seconds + *number;
    if (colon == std::string_view::npos) return seconds;
    text.remove_prefix(colon + 1);
  }
  return {};
}

}  // namespace

std::optional<int64_t> read_elapsed_time(std::string_view text, std::string_view title) {
  if (text.empty()) return {};
  const bool is_clock = text.find(':') != std::string_view::npos;
  const size_t last_digit = text.find_last_of("0123456789");
  const std::string unit = lower(trimmed(text.substr(std::min(last_digit, text.size() - 1) + 1)));
  std::optional<double> scale = is_clock ? 1 : seconds_per(title);
  if (!is_clock && !unit.empty()) {
    scale = seconds_in(unit);
    text = text.substr(0, last_digit + 1);
  }
  auto seconds = is_clock ? seconds_of_clock(text) : number_of(text);
  if (!seconds || !scale) return {};
  *seconds *= *scale;
  if (*seconds > kLongest_s) return {};
  return std::llround(*seconds * 1e9);
}

}  // namespace kjoule
