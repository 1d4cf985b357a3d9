#include "power/timestamp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <string>
#include <utility>

#include "power/instant.hpp"

namespace kjoule {

namespace {

constexpr int64_t kDay_s = 86'400;
/// The accepted years of a power log. Times far outside them would overflow as nanoseconds.
constexpr int kFirstYear = 1970, kLastYear = 2199;
constexpr int64_t kLast_ns = 7'258'118'400 * kNsPerSecond;  ///< end of kLastYear
/// Readings that are out of order step back by less than this. When summer time ends, clocks step back by
/// more: at least half an hour (Lord Howe Island).
constexpr int64_t kStepBack_ns = 1000 * kNsPerSecond;

bool digit(char c) {
  return c >= '0' && c <= '9';
}

/// Returns the number that the `count` digits from position `at` form, or -1 if they are not digits.
int digits(std::string_view text, size_t at, size_t count) {
  if (at + count > text.size()) return -1;
  int value = 0;
  for (size_t i = at; i < at + count; ++i) {
    if (!digit(text[i])) return -1;
    value = 10 * value + (text[i] - '0');
  }
  return value;
}

int days_in(int year, int month) {
  constexpr std::array<int, 12> kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return kDays[static_cast<size_t>(month - 1)] + (month == 2 && leap ? 1 : 0);
}

/// Removes leading digits from the text and returns the fraction of `unit_ns` that they represent. Digits
/// below a nanosecond are ignored.
int64_t take_fraction(std::string_view& text, int64_t unit_ns) {
  int64_t value = 0;
  for (; !text.empty() && digit(text.front()); text.remove_prefix(1)) {
    unit_ns /= 10;
    value += unit_ns * (text.front() - '0');
  }
  return value;
}

/// Reads a time zone and sets its offset in minutes. Returns false if the text is not a zone; an empty text
/// is valid and sets nothing.
bool read_zone(std::string_view text, std::optional<int>& minutes_east) {
  if (text.starts_with(' ')) text.remove_prefix(1);
  if (text.empty()) return true;
  if (text == "Z" || text == "z" || text == "UTC") {
    minutes_east = 0;
    return true;
  }
  if (text.front() != '+' && text.front() != '-') return false;
  const int hours = digits(text, 1, 2);
  const bool colon = text.size() > 3 && text[3] == ':';
  const int minutes = text.size() == 3 ? 0 : digits(text, colon ? 4 : 3, 2);
  if (hours < 0 || hours > 15 || minutes < 0 || minutes > 59) return false;
  if (text.size() != 3 && text.size() != (colon ? 6U : 5U)) return false;
  minutes_east = (text.front() == '-' ? -1 : 1) * (60 * hours + minutes);
  return true;
}

/// Returns the begin of the minute in Unix seconds, as if the time were UTC.
int64_t as_utc_s(const CalendarTime& time) {
  std::tm parts{};
  parts.tm_year = time.year - 1900;
  parts.tm_mon = time.month - 1;
  parts.tm_mday = time.day;
  parts.tm_hour = time.hour;
  parts.tm_min = time.minute;
  return timegm(&parts);
}

int64_t east_of_utc_s(int64_t unix_s) {
  const auto since_1970 = static_cast<std::time_t>(unix_s);
  std::tm parts{};
  localtime_r(&since_1970, &parts);
  return parts.tm_gmtoff;
}

/// Sets both moments that a local time may mean; `utc_s` is this time read as UTC. Returns false if clocks
/// skip it. The two possible offsets of the zone are those of the day before and the day after.
bool local_moments(int64_t utc_s, std::array<int64_t, 2>& moments) {
  const int64_t before = utc_s - east_of_utc_s(utc_s - kDay_s);
  const int64_t after = utc_s - east_of_utc_s(utc_s + kDay_s);
  const bool before_holds = before + east_of_utc_s(before) == utc_s;
  const bool after_holds = after + east_of_utc_s(after) == utc_s;
  moments = {before_holds || !after_holds ? before : after, after_holds ? after : before};
  if (moments[1] < moments[0]) std::swap(moments[0], moments[1]);
  return before_holds || after_holds;
}

/// Reads a time whose hour has two digits.
std::optional<CalendarTime> read_padded_time(std::string_view text) {
  if (text.size() < 19) return {};
  const bool separated = (text[4] == '-' || text[4] == '/') && text[7] == text[4] &&
                         (text[10] == ' ' || text[10] == 'T' || text[10] == '_') && text[13] == ':' &&
                         text[16] == ':';
  if (!separated) return {};
  CalendarTime time;
  time.year = digits(text, 0, 4);
  time.month = digits(text, 5, 2);
  time.day = digits(text, 8, 2);
  time.hour = digits(text, 11, 2);
  time.minute = digits(text, 14, 2);
  const int second = digits(text, 17, 2);
  if (time.year < kFirstYear || time.year > kLastYear || time.month < 1 || time.month > 12 || time.day < 1 ||
      time.day > days_in(time.year, time.month) || time.hour < 0 || time.hour > 23 || time.minute < 0 ||
      time.minute > 59 || second < 0 || second > 60)
    return {};
  text.remove_prefix(19);
  time.ns_of_minute = second * kNsPerSecond;
  if (text.size() > 1 && (text[0] == '.' || text[0] == ',') && digit(text[1])) {
    text.remove_prefix(1);
    time.ns_of_minute += take_fraction(text, kNsPerSecond);
  }
  if (!read_zone(text, time.minutes_east)) return {};
  return time;
}

}  // namespace

std::optional<CalendarTime> read_calendar_time(std::string_view text) {
  constexpr size_t kHour = 11;
  if (text.size() <= kHour + 1 || text[kHour + 1] != ':') return read_padded_time(text);
  std::string padded(text);
  padded.insert(kHour, "0");
  return read_padded_time(padded);
}

std::optional<int64_t> read_unix_time(std::string_view text) {
  int64_t whole = 0;
  size_t count = 0;
  for (; !text.empty() && digit(text.front()); text.remove_prefix(1), ++count) {
    if (whole > INT64_MAX / 10 - 1) return {};
    whole = 10 * whole + (text.front() - '0');
  }
  if (count == 0) return {};
  const int64_t unit_ns = count <= 11 ? kNsPerSecond : count <= 14 ? 1'000'000 : count <= 17 ? 1000 : 1;
  if (whole > kLast_ns / unit_ns - 1) return {};
  int64_t ns = whole * unit_ns;
  if (!text.empty() && (text.front() == '.' || text.front() == ',')) {
    text.remove_prefix(1);
    ns += take_fraction(text, unit_ns);
  }
  if (!text.empty()) return {};
  return ns;
}

TimestampReader::TimestampReader() {
  tzset();
}

const TimestampReader::Minute& TimestampReader::minute_of(const CalendarTime& time) {
  const int64_t key =
      (((int64_t{time.year} * 12 + time.month) * 32 + time.day) * 24 + time.hour) * 60 + time.minute;
  if (key != minute_.key) {
    minute_.key = key;
    minute_.skipped = !local_moments(as_utc_s(time), minute_.begin_s);
  }
  return minute_;
}

std::optional<int64_t> TimestampReader::read(std::string_view text) {
  const auto time = read_calendar_time(text);
  if (!time) {
    const auto unix_ns = read_unix_time(text);
    if (unix_ns) last_ns_ = unix_ns;
    return unix_ns;
  }
  if (time->minutes_east)
    return last_ns_ =
               (as_utc_s(*time) - int64_t{60} * *time->minutes_east) * kNsPerSecond + time->ns_of_minute;
  const Minute& minute = minute_of(*time);
  if (minute.skipped) ++skipped_;
  last_ns_ = choose(minute, time->ns_of_minute);
  return last_ns_;
}

int64_t TimestampReader::choose(const Minute& minute, int64_t ns_of_minute) {
  const bool twice = minute.begin_s[0] != minute.begin_s[1];
  const int64_t first = minute.begin_s[0] * kNsPerSecond + ns_of_minute;
  if (twice && last_ns_ && first < *last_ns_ - kStepBack_ns) {
    open_ = 0;  // the times before this one were the first of two
    first_pass_ = false;
    return minute.begin_s[1] * kNsPerSecond + ns_of_minute;
  }
  // A jump forward that is as long as a step of the clocks may hide that the clocks were set back.
  const bool jump = !last_ns_ || first > *last_ns_ + kStepBack_ns;
  if (jump && (twice || first_pass_)) ++open_;
  if (!twice) ambiguous_ += std::exchange(open_, 0);
  first_pass_ = twice;
  return first;
}

std::vector<int64_t> moments_of(std::string_view text) {
  const auto time = read_calendar_time(text);
  if (!time || time->minutes_east) {
    const auto moment = TimestampReader().read(text);
    return moment ? std::vector<int64_t>{*moment} : std::vector<int64_t>{};
  }
  tzset();
  std::array<int64_t, 2> begin_s{};
  local_moments(as_utc_s(*time), begin_s);
  std::vector<int64_t> moments;
  for (const int64_t begin : begin_s) moments.push_back(begin * kNsPerSecond + time->ns_of_minute);
  if (moments[0] == moments[1]) moments.pop_back();
  return moments;
}

std::optional<int64_t> moment_near(std::string_view text, int64_t unix_ns) {
  std::optional<int64_t> nearest;
  for (const int64_t moment : moments_of(text))
    if (!nearest || std::abs(moment - unix_ns) < std::abs(*nearest - unix_ns)) nearest = moment;
  return nearest;
}

std::optional<int64_t> moment_of(std::string_view text) {
  const auto moments = moments_of(text);
  return moments.empty() ? std::nullopt : std::optional(moments.front());
}

std::string local_timestamp(int64_t unix_ns, char date_separator) {
  int64_t seconds = unix_ns / kNsPerSecond;
  int64_t rest = unix_ns % kNsPerSecond;
  if (rest < 0) {
    rest += kNsPerSecond;
    --seconds;
  }
  const auto since_1970 = static_cast<std::time_t>(seconds);
  std::tm parts{};
  localtime_r(&since_1970, &parts);
  return fmt::format("{:04}{}{:02}{}{:02} {:02}:{:02}:{:02}.{:03}", parts.tm_year + 1900, date_separator,
                     parts.tm_mon + 1, date_separator, parts.tm_mday, parts.tm_hour, parts.tm_min,
                     parts.tm_sec, rest / 1'000'000);
}

}  // namespace kjoule
