#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "power/instant.hpp"
#include "power/logs/log_lines.hpp"
#include "power/meters/counter_power.hpp"
#include "power/meters/meter.hpp"
#include "power/meters/power_source.hpp"
#include "power/seconds.hpp"

namespace kjoule {

/// A meter read as power, whatever it reads.
class PowerChannel {
 public:
  PowerChannel(std::unique_ptr<Meter> meter, double interval_s);
  Meter& meter() { return *meter_; }
  const MeterFacts& facts() const { return meter_->facts(); }
  /// The power since the last call. Throws Error as Meter::read does.
  std::vector<PowerPoint> read();
  /// Whether there was ever a reading.
  bool heard() const { return heard_; }

 private:
  std::unique_ptr<Meter> meter_;
  CounterPower counter_;
  bool heard_ = false;
};

/// Reads meters and writes the lines of a power log as they get complete.
class PowerLogger {
 public:
  using Write = std::function<void(const std::string& line)>;
  /// Writes the header. `interval_s` is between two lines of one meter; WattsUp meters have their own second.
  PowerLogger(std::vector<std::unique_ptr<Meter>> meters, LogLines::Format format, double interval_s,
              Write write);

  /// To be called at least once an interval. Throws Error when a meter has gone for good, after the others
  /// were read; and what `write` throws.
  void step(const Instant& now);
  /// Writes what is left.
  void finish();

  std::vector<std::string> take_notes();
  const std::vector<PowerChannel>& channels() const { return channels_; }
  size_t lines() const { return lines_; }
  /// The newest power of all meters together; absent until each has one.
  std::optional<double> newest_w() const;

 private:
  void add(size_t channel, const PowerPoint& point);
  void emit(size_t channel, const PowerPoint& point);
  void write_seconds(const std::vector<Seconds::Row>& rows);
  void write_moment();
  void write(const std::string& line);

  std::vector<PowerChannel> channels_;
  LogLines text_;
  Write write_;
  std::vector<ThinnedPower> thinned_;
  std::vector<std::optional<double>> newest_;
  Seconds seconds_;
  /// Of `columns`: what the next line holds, and its latest time.
  std::vector<std::optional<double>> moment_;
  int64_t moment_ns_ = 0;
  size_t lines_ = 0;
};

/// The format in which those meters of one source are logged.
LogLines::Format log_format(const std::vector<FoundMeter>& meters);

}  // namespace kjoule
