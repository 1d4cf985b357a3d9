#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "power/instant.hpp"
#include "power/logs/log_lines.hpp"
#include "power/meters/meter.hpp"
#include "power/meters/power_points.hpp"
#include "power/meters/power_source.hpp"
#include "power/shared_rows.hpp"

namespace kjoule {

/// A meter that is read as power, even if it is an energy counter, and the time for which it was silent.
class PowerChannel {
 public:
  PowerChannel(std::unique_ptr<Meter> meter, double interval_s);
  Meter& meter() { return *meter_; }
  const MeterFacts& facts() const { return meter_->facts(); }
  /// Returns the power since the last call. Throws the errors of Meter::read().
  std::vector<PowerPoint> read();
  /// Returns whether the meter has ever returned a reading.
  bool has_reading() const { return has_reading_; }
  /// Returns the seconds without a reading between the first reading and `steady_ns`. Pauses of up to 3 s or
  /// three intervals between readings, whichever is longer, are not counted.
  double silent_s(int64_t steady_ns) const;

 private:
  double counted_pause_s(int64_t until_ns) const;

  std::unique_ptr<Meter> meter_;
  PowerFromCounter counter_;
  bool has_reading_ = false;
  double longest_pause_s_;           ///< longer pauses between readings count as silence
  std::optional<int64_t> heard_ns_;  ///< CLOCK_MONOTONIC of the latest power
  double silent_s_ = 0;              ///< the silence before heard_ns_
};

/// Throws Error if a meter was silent for a part of the `passed_s` seconds before `now`, or for all of them.
void refuse_silence(const std::vector<const PowerChannel*>& channels, const Instant& now, double passed_s);

/// Reads meters and writes the lines of a power log as they become complete.
class PowerLogger {
 public:
  using Write = std::function<void(const std::string& line)>;
  /// Writes the header. `interval_s` is the time in seconds between two lines of one meter; it is ignored for
  /// WattsUp meters, which report every second.
  PowerLogger(std::vector<std::unique_ptr<Meter>> meters, LogLines::Format format, double interval_s,
              Write write);

  /// Reads all meters and writes the complete lines. Call it at least once per interval. Throws Error if a
  /// meter has permanently failed, but only after the other meters were read; also throws the exceptions of
  /// `write`.
  void step(const Instant& now);
  /// Writes the remaining lines.
  void finish();

  std::vector<std::string> take_notes();
  const std::vector<PowerChannel>& channels() const { return channels_; }
  size_t lines() const { return lines_; }
  /// Returns the sum of the latest power of all meters in W, or no value until each meter has a reading.
  std::optional<double> newest_w() const;

 private:
  void add(size_t channel, const PowerPoint& point);
  void emit(size_t channel, const PowerPoint& point);
  void write_rows(const std::vector<SharedRows::Row>& rows);
  void write_moment();
  void write(const std::string& line);

  std::vector<PowerChannel> channels_;
  LogLines text_;
  Write write_;
  std::vector<PowerAverager> averagers_;
  std::vector<std::optional<double>> newest_;
  SharedRows shared_rows_;
  /// The readings of the next line in the format `columns`, and the time of the latest of them.
  std::vector<std::optional<double>> moment_;
  int64_t moment_ns_ = 0;
  size_t lines_ = 0;
};

/// Returns the format in which these meters of one source are logged.
LogLines::Format log_format(const std::vector<FoundMeter>& meters);

}  // namespace kjoule
