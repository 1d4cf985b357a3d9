#pragma once
// The folder isolated measures launches that are repeated back to back. measure_isolated() times each kernel
// of an iteration (for MeasuredRun), measure_isolated_work() time and energy of copies of some work (for
// layers in isolation). IsolatedReader takes many short readings of time and power, one group of launches
// after another (for `kjoule sample --energy`). Read first: IsolatedKernel, IsolatedReading.

#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "measure/isolated/isolated_reading.hpp"
#include "measure/meters/filler_mix.hpp"
#include "measure/meters/steady_loop.hpp"

namespace kjoule {

/// Reads time and power of recorded launches in short readings, one group of launches after another.
///
/// Some launches draw so much power when repeated back to back that the clock falls, although it does not in
/// the program. They are read again, interleaved with a filler (launches that draw little power), and the
/// filler's time and energy are subtracted.
class IsolatedReader {
 public:
  /// Prepares readings of a recording with `launches` launches. `filler` contains the launches that draw
  /// little power; it may be empty.
  ///
  /// Replays the whole recording once in order, so that every launch later finds the memory contents that it
  /// needs, and then the filler in isolation, which shows the clock of the device at rest. Without a filler,
  /// the clock during the replay of the whole recording is used instead. Throws DeviceError.
  IsolatedReader(Device& device, LaunchIndex launches, std::vector<LaunchIndex> filler,
                 std::span<MeterRecord> meters, const ReadingWindow& span);

  /// Returns a reading of `launches`, which take at most about `about_s` seconds once. `kind` names launches
  /// that behave alike: if the last reading of the same kind lowered the clock, this one is interleaved with
  /// the filler at once. The kind is forgotten when its power turns out to be lower than that of all launches
  /// that lowered the clock. Throws DeviceError.
  IsolatedReading read(const std::string& kind, const std::vector<LaunchIndex>& launches, double about_s);
  /// Returns the clock of the device at rest, Hz; nothing if the device does not report clocks.
  std::optional<double> rested_clock_hz() const { return rested_clock_hz_; }
  /// Returns whether the clock of the reading is more than 3 % below the clock at rest.
  bool is_slow(const IsolatedReading& reading) const;

 private:
  /// Returns the approximate aliasing error of the mean power, as a share of it, for work with this period.
  double aliasing_error_of(double period_s) const;
  Track& opened(const std::vector<LaunchIndex>& launches, int copies);
  Track& opened(const std::vector<LaunchIndex>& launches, const FillerMix& mix);
  Settled settle(Track& track, double about_s, double settle_s);
  /// Reads launches that lowered the clock. The filler is replayed before, until the clock has recovered.
  IsolatedReading slow(const std::string& kind, const std::vector<LaunchIndex>& launches, double each_s);
  IsolatedReading among_filler(const std::vector<LaunchIndex>& launches, double each_s);
  bool is_slow(const std::optional<double>& clock_hz) const;

  Device& device_;
  std::vector<LaunchIndex> filler_;
  ReadingWindow span_;
  std::optional<double> rested_clock_hz_;
  std::optional<Interval> sensor_hz_;  ///< sampling rate of the first meter's sensor
  IsolatedReading filler_reading_;     ///< unset if there is no filler
  /// The filler's track first; all stay open, because closing a track would stop the device.
  std::deque<std::unique_ptr<Track>> tracks_;
  SteadyLoop loop_;  ///< declared after `tracks_`: it must end before they are closed
  bool warm_ = false;
  std::set<std::string> slow_kinds_;
  /// Lowest power, W, at the clock at rest, of all launches that lowered the clock.
  std::optional<double> slow_from_w_;
};

}  // namespace kjoule
