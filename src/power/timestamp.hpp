#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// Wall-clock time of a zone's calendar, as logs write it.
struct CalendarTime {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0;
  int64_t ns_of_minute = 0;
  std::optional<int> minutes_east;  ///< of UTC, where the text names a zone
};

/// "YYYY-MM-DD HH:MM:SS", also with "/" or "T", a fraction, and behind it "Z", "UTC", "+HH", "+HHMM" or
/// "+HH:MM".
std::optional<CalendarTime> read_calendar_time(std::string_view text);

/// Numbers since 1970, in nanoseconds: up to 11 digits before the point are seconds, up to 14 milliseconds,
/// up to 17 microseconds, more are nanoseconds.
std::optional<int64_t> read_unix_time(std::string_view text);

/// Turns timestamps into Unix nanoseconds, one after another. Times without a zone are those of this
/// machine's zone (TZ). The hour that occurs twice when summer time ends is taken as the first until time
/// steps back in it.
class TimestampReader {
 public:
  TimestampReader();
  /// Nothing when the text is no timestamp.
  std::optional<int64_t> read(std::string_view text);
  /// How many were of an hour that occurs twice, with nothing that tells which it was.
  size_t ambiguous() const { return second_pass_ ? 0 : ambiguous_; }
  /// How many this zone's clocks skip: they come from another zone.
  size_t skipped() const { return skipped_; }

 private:
  struct Minute {
    int64_t key = -1;
    std::array<int64_t, 2> begin_s{};  ///< two where it occurs twice, else equal
    bool skipped = false;
  };
  const Minute& minute_of(const CalendarTime& time);

  Minute minute_;
  std::optional<int64_t> last_ns_;
  size_t ambiguous_ = 0, skipped_ = 0;
  bool second_pass_ = false;
};

/// What moments a timestamp may mean, in Unix nanoseconds: none, one, or two in the hour that occurs twice.
std::vector<int64_t> moments_of(std::string_view text);

/// The first of them; nothing when the text is no timestamp.
std::optional<int64_t> moment_of(std::string_view text);

/// "YYYY-MM-DD HH:MM:SS.mmm" of this machine's zone; `date_separator` stands between year, month and day.
std::string local_timestamp(int64_t unix_ns, char date_separator = '-');

}  // namespace kjoule
