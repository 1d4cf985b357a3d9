#pragma once
// The folder isolated measures launches that are repeated back to back, for three purposes:
// - measure_isolated() times one kernel of an iteration, by stamps or the host's clock (for MeasuredRun). It
//   reads no meters, so the work need not be steady: each repeat on a GPU begins with the launches before it.
// - measure_isolated_work() measures time and energy of copies of some work, whose number the user chooses,
//   and their scatter over three readings (for layers in isolation).
// - IsolatedReader makes one short reading of time and power of each of many groups of launches, without
//   idle time between them, and interleaves work that lowers the clock with a filler (for sample --energy).
// The last two use SteadyLoop and isolated_reading(). measure_meter_block() (energy) also repeats kernels,
// for a power log: so long that the log has readings of them. Read first: IsolatedKernel, IsolatedReading.

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

/// Measures time and power of recorded launches in short readings, one group of launches after another.
///
/// Some launches consume so much power when they are repeated back to back that the GPU lowers its clock,
/// although it does not lower its clock in the program. Such launches are read again, interleaved with a
/// filler (launches that consume little power), whose time and energy are then subtracted.
class IsolatedReader {
 public:
  /// Prepares readings of a recording with `launches` launches. `filler` contains launches that consume
  /// little power; it may be empty. `span` is the timing of a reading.
  ///
  /// First replays the whole recording in order, so that every launch later finds the memory contents that it
  /// needs. Then finds the clock of the device at rest: the clock while the filler is repeated, or, without a
  /// filler, while the whole recording is replayed. Throws DeviceError if a launch cannot be replayed.
  IsolatedReader(Device& device, LaunchIndex launches, std::vector<LaunchIndex> filler,
                 std::span<MeterRecord> meters, const ReadingWindow& span);

  /// Returns a reading of `launches`, which take at most about `about_s` seconds. `kind` is any name for
  /// launches that behave alike. If the last reading of the same kind lowered the clock, the launches are
  /// interleaved with the filler from the start, until the power of the kind is below that of all launches
  /// that lowered the clock. Throws DeviceError if a launch cannot be replayed.
  IsolatedReading read(const std::string& kind, const std::vector<LaunchIndex>& launches, double about_s);
  /// Returns the clock of the device at rest, Hz; nothing if the device does not report clocks.
  std::optional<double> rested_clock_hz() const { return rested_clock_hz_; }
  /// Returns whether the clock of the reading is more than 3 % below the clock at rest.
  bool is_slow(const IsolatedReading& reading) const;

 private:
  /// Returns the approximate aliasing error of the mean power, as a share of the mean power, for work that
  /// repeats every `period_s` seconds.
  double aliasing_error_of(double period_s) const;
  Track& opened(const std::vector<LaunchIndex>& launches, int copies);
  Track& opened(const std::vector<LaunchIndex>& launches, const FillerMix& mix);
  Settled settle(Track& track, double about_s, double settle_s);
  /// Reads launches that lowered the clock, after replaying the filler until the clock has recovered.
  IsolatedReading slow(const std::string& kind, const std::vector<LaunchIndex>& launches, double each_s);
  IsolatedReading among_filler(const std::vector<LaunchIndex>& launches, double each_s);
  bool is_slow(const std::optional<double>& clock_hz) const;

  Device& device_;
  std::vector<LaunchIndex> filler_;
  ReadingWindow span_;
  std::optional<double> rested_clock_hz_;
  std::optional<Interval> sensor_hz_;  ///< sampling rate of the first meter's sensor
  IsolatedReading filler_reading_;     ///< unset if there is no filler
  /// All tracks, that of the filler first. They stay open, because closing a track would make the device
  /// idle.
  std::deque<std::unique_ptr<Track>> tracks_;
  SteadyLoop loop_;  ///< declared after `tracks_`, because the loop must end before the tracks are closed
  bool warm_ = false;
  std::set<std::string> slow_kinds_;
  /// Lowest power, W, of all launches that lowered the clock, as read with interleaved filler at the clock at
  /// rest.
  std::optional<double> slow_from_w_;
};

}  // namespace kjoule
