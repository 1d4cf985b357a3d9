#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// A calendar date and time of day in a time zone, as logs contain it.
struct CalendarTime {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0;
  int64_t ns_of_minute = 0;
  std::optional<int> minutes_east;  ///< the zone's offset from UTC, if the text contains one
};

/// Reads "YYYY-MM-DD HH:MM:SS", also with "/" or "T" as separators, with an hour of one digit, with a
/// fraction of a second, and followed by "Z", "UTC", "+HH", "+HHMM" or "+HH:MM". Returns no value for other
/// texts.
std::optional<CalendarTime> read_calendar_time(std::string_view text);

/// Reads the time since 1970 as a number with a decimal point or comma, and returns it in nanoseconds. The
/// number of digits before the point determines the unit: up to 11 are seconds, up to 14 milliseconds, up to
/// 17 microseconds, more nanoseconds.
std::optional<int64_t> read_unix_time(std::string_view text);

/// Converts the timestamps of a log to Unix nanoseconds, in the order of the log. Times without a zone are
/// local times of this machine (TZ). In the hour that occurs twice when summer time ends, times are of the
/// first occurrence until they step back; this needs times of the log before and after that hour.
class TimestampReader {
 public:
  TimestampReader();
  /// Returns no value if the text is not a timestamp.
  std::optional<int64_t> read(std::string_view text);
  /// Returns the number of times from which on the log does not show which of two equal hours is meant.
  size_t ambiguous() const { return ambiguous_ + open_; }
  /// Returns the number of times that do not exist in this zone because its clocks skip them. Such times were
  /// logged in another zone.
  size_t skipped() const { return skipped_; }

 private:
  struct Minute {
    int64_t key = -1;
    std::array<int64_t, 2> begin_s{};  ///< two values if the minute occurs twice, else equal values
    bool skipped = false;
  };
  const Minute& minute_of(const CalendarTime& time);
  /// Returns one of the two moments of a local time.
  int64_t choose(const Minute& minute, int64_t ns_of_minute);

  Minute minute_;
  std::optional<int64_t> last_ns_;
  size_t ambiguous_ = 0, skipped_ = 0;
  size_t open_ = 0;          ///< ambiguous times that a later step back may explain
  bool first_pass_ = false;  ///< whether the latest time was interpreted as the first of two
};

/// Returns the moments that a timestamp may mean, in Unix nanoseconds: none if the text is not a timestamp,
/// two in the hour that occurs twice, otherwise one.
std::vector<int64_t> moments_of(std::string_view text);

/// Returns the moment nearest to `unix_ns` among those that a timestamp may mean, or no value if the text is
/// not a timestamp.
std::optional<int64_t> moment_near(std::string_view text, int64_t unix_ns);

/// Returns the first moment that a timestamp may mean, in Unix nanoseconds, or no value if the text is not a
/// timestamp.
std::optional<int64_t> moment_of(std::string_view text);

/// Returns "YYYY-MM-DD HH:MM:SS.mmm" in this machine's time zone. `date_separator` separates year, month and
/// day.
std::string local_timestamp(int64_t unix_ns, char date_separator = '-');

}  // namespace kjoule
