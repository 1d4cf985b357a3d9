#include "power/instant.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "power/cells.hpp"

namespace kjoule {

namespace {

int64_t nanoseconds(clockid_t clock) {
  std::timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * kNsPerSecond + now.tv_nsec;
}

/// Nanoseconds of the digits behind the point; nothing when they are no digits.
std::optional<int64_t> fraction_ns(std::string_view digits) {
  int64_t ns = 0;
  int64_t unit = kNsPerSecond / 10;
  for (const char digit : digits) {
    if (std::isdigit(static_cast<unsigned char>(digit)) == 0) return {};
    ns += (digit - '0') * unit;
    unit /= 10;
  }
  return ns;
}

std::optional<int64_t> number_as_time(double number) {
  // A time after 1973 in its unit is above the last one of the unit before.
  if (number < 1e8) return {};
  double seconds = number;
  while (seconds >= 1e11) seconds /= 1000;
  const double whole = std::floor(seconds);
  return static_cast<int64_t>(whole) * kNsPerSecond + static_cast<int64_t>((seconds - whole) * 1e9);
}

bool in_range(const std::tm& parts) {
  return parts.tm_mon >= 0 && parts.tm_mon < 12 && parts.tm_mday >= 1 && parts.tm_mday <= 31 &&
         parts.tm_hour >= 0 && parts.tm_hour < 24 && parts.tm_min >= 0 && parts.tm_min < 60 &&
         parts.tm_sec >= 0 && parts.tm_sec <= 60;
}

}  // namespace

// The wall clock is read between two steady readings, and belongs to the middle of them.
Instant instant_now() {
  const int64_t before = nanoseconds(CLOCK_MONOTONIC);
  const int64_t wall = nanoseconds(CLOCK_REALTIME);
  const int64_t after = nanoseconds(CLOCK_MONOTONIC);
  return {.steady_ns = before + (after - before) / 2, .unix_ns = wall};
}

Instant instant_of_unix(int64_t unix_ns) {
  const Instant now = instant_now();
  return {.steady_ns = now.steady_ns - (now.unix_ns - unix_ns), .unix_ns = unix_ns};
}

std::string local_time_text(int64_t unix_ns, bool milliseconds) {
  const auto seconds = static_cast<std::time_t>(unix_ns / kNsPerSecond);
  std::tm parts{};
  localtime_r(&seconds, &parts);
  std::string text = fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", parts.tm_year + 1900,
                                 parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
  if (milliseconds) text += fmt::format(".{:03}", unix_ns % kNsPerSecond / 1'000'000);
  return text;
}

std::optional<int64_t> parse_time(std::string_view text) {
  if (const auto number = parse_number(text)) return number_as_time(*number);
  std::string whole(text.substr(0, text.find('.')));
  std::tm parts{};
  char after_year = 0;
  char after_month = 0;
  char after_day = 0;
  int used = 0;
  const int read = std::sscanf(whole.c_str(), "%4d%c%2d%c%2d%c%2d:%2d:%2d%n", &parts.tm_year, &after_year,
                               &parts.tm_mon, &after_month, &parts.tm_mday, &after_day, &parts.tm_hour,
                               &parts.tm_min, &parts.tm_sec, &used);
  const bool shaped = read == 9 && static_cast<size_t>(used) == whole.size() && after_year == after_month &&
                      (after_year == '-' || after_year == '/') && (after_day == ' ' || after_day == 'T');
  if (!shaped) return {};
  const auto fraction =
      fraction_ns(whole.size() == text.size() ? std::string_view() : text.substr(whole.size() + 1));
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  parts.tm_isdst = -1;
  if (!fraction || !in_range(parts)) return {};
  const std::time_t seconds = std::mktime(&parts);
  if (seconds < 0) return {};
  return seconds * kNsPerSecond + *fraction;
}

}  // namespace kjoule
