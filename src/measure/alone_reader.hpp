#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/interval.hpp"
#include "measure/filler_mix.hpp"
#include "measure/steady_loop.hpp"

namespace kjoule {

/// Of a reading: before what is read, and of what is read.
struct ReadingSpan {
  double settle_s = 0, span_s = 0;
};

/// What some launches take, over and over by themselves, in one reading.
struct ReadAlone {
  Interval each_s;               ///< 95 %; the half-width is infinite where the reading is of one piece
  std::optional<double> mean_w;  ///< by the first meter; nothing where it told nothing
  std::optional<double> clock_hz;
  double read_s = 0;                     ///< how long the meter was read
  std::vector<std::string> slowed_by{};  ///< what kept the clock down
  bool behind_filler = false;
};

/// Reads launches of what a device has recorded, some after others, in short readings. Where they keep the
/// clock down, because they draw more all the time than they do among others, they are read again with
/// launches in between that draw little, and what those take is taken off.
class AloneReader {
 public:
  /// `launches` were recorded; `filler`: those that draw little, or none. Plays all of them once, in order:
  /// that is how all finds its memory; and the filler by itself, which shows the clock that the device has at
  /// rest (without one: that of playing all). Throws DeviceError.
  AloneReader(Device& device, LaunchIndex launches, std::vector<LaunchIndex> filler,
              std::span<MeterRecord> meters, const ReadingSpan& span);

  /// `about_s`: what they take once, at the most. Where the last of its kind kept the clock down, this one is
  /// taken to do so, too, until its power tells otherwise. Throws DeviceError.
  ReadAlone read(const std::string& kind, const std::vector<LaunchIndex>& launches, double about_s);
  /// Nothing where the device does not tell.
  std::optional<double> rested_clock_hz() const { return rested_clock_hz_; }
  /// Whether the clock fell by more than a reading can pass over.
  bool is_slow(const ReadAlone& reading) const;

 private:
  /// About how far steps of that period may falsify the mean power, as a share of it.
  double error_of_looks(double period_s) const;
  Track& opened(const std::vector<LaunchIndex>& launches, int copies);
  Track& opened(const std::vector<LaunchIndex>& launches, const FillerMix& mix);
  Settled settle(Track& track, double about_s, double settle_s);
  /// They kept the clock down.
  ReadAlone slow(const std::string& kind, const std::vector<LaunchIndex>& launches, double each_s);
  ReadAlone among_filler(const std::vector<LaunchIndex>& launches, double each_s);
  bool is_slow(const std::optional<double>& clock_hz) const;

  Device& device_;
  std::vector<LaunchIndex> filler_;
  ReadingSpan span_;
  std::optional<double> rested_clock_hz_;
  std::optional<double> looks_hz_;             ///< of the first meter
  ReadAlone filler_alone_;                     ///< where there is one
  std::deque<std::unique_ptr<Track>> tracks_;  ///< the filler's first; closing one would stop the device
  SteadyLoop loop_;                            ///< has them under way
  bool warm_ = false;
  std::set<std::string> slow_kinds_;
  std::optional<double> slow_from_w_;  ///< the least that any drew, at the clock at rest, that kept it down
};

}  // namespace kjoule
