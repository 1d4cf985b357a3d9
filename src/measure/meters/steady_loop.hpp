#pragma once
// The folder meters reads power meters while work is repeated. SteadyLoop keeps the device busy with a track
// and returns a SteadyReading: time, power, clock and temperature of one repeat. MeterRecord computes a mean
// power from a meter's power samples, or from the ticks of a counter. repeat_count.hpp computes how often
// work is repeated; aliasing.hpp chooses pauses for work that repeats at a multiple of a sensor's sampling
// rate; filler_mix.hpp chooses fillers for work that lowers the clock. The folders isolated, energy and
// sensor use this folder. Read first: SteadyLoop, SteadyReading, MeterRecord.

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "measure/meters/meter_record.hpp"

namespace kjoule {

/// Timing of one reading: `settle_s` seconds of warm-up, then `span_s` seconds that are averaged.
struct ReadingWindow {
  double settle_s = 0, span_s = 0;
};

/// A reading of steady work: time, power, clock and temperature, averaged over a time span.
struct SteadyReading {
  double repeat_s = 0;  ///< time of one repeat, pauses included
  double pause_s = 0;   ///< time of all pauses in one repeat
  /// Mean power for each meter, W; nothing for a meter that reported none.
  std::vector<std::optional<double>> mean_w{};
  /// Mean clock of the processors; not available if the device does not report it.
  std::optional<double> clock_hz{};
  std::optional<double> temperature_c{};
  /// Reasons for a lowered clock at the end of the reading; empty if there are none, or if they are not
  /// known.
  std::vector<std::string> throttle_reasons{};
  int64_t begin_ns = 0, end_ns = 0;  ///< time span of the means
  /// For each submitted piece of work, the time of one repeat in it.
  std::vector<double> piece_s{};
  /// Number of repeats in all these pieces together, and time at which the first piece began; the last piece
  /// ends at end_ns. Neither value is stored in rows.
  int64_t repeats = 0, pieces_begin_ns = 0;
};

template <class Fields>
void describe(Fields& fields, SteadyReading& reading) {
  fields("repeat_s", reading.repeat_s);
  fields("pause_s", reading.pause_s);
  fields("mean_w", reading.mean_w);
  fields("clock_hz", reading.clock_hz);
  fields("temperature_c", reading.temperature_c);
  fields("throttle_reasons", reading.throttle_reasons);
  fields("begin_ns", reading.begin_ns);
  fields("end_ns", reading.end_ns);
}

/// Time per repeat and clock of steady work at the end of its warm-up.
struct Settled {
  double repeat_s = 0;  ///< time of one repeat in the last piece of work
  /// Mean clock of the processors in the last piece; not available if the device does not report it.
  std::optional<double> clock_hz = {};
};

/// Replays steady work and reads meters at the same time. The device is never idle, because the next piece of
/// work is submitted before the last one ends, even if it belongs to another track.
class SteadyLoop {
 public:
  /// `piece_s` is the duration of one submitted piece of work. It should be long compared with a message to
  /// the device, and short compared with a reading.
  explicit SteadyLoop(std::span<MeterRecord> meters, double piece_s = 0.04)
      : meters_(meters), piece_s_(piece_s) {}
  ~SteadyLoop();
  SteadyLoop(const SteadyLoop&) = delete;
  SteadyLoop& operator=(const SteadyLoop&) = delete;

  /// Replays `track`, whose repeat takes about `repeat_s` seconds, first for `window.settle_s`
  /// seconds, in which power and clock become steady, and then for `window.span_s` seconds, which are
  /// averaged. The averaged span is extended, up to three times `window.span_s`, until it contains a reading
  /// of each meter and at least two pieces of work.
  SteadyReading read(Track& track, double repeat_s, const ReadingWindow& window);
  /// Replays `track`, whose repeat takes about `repeat_s` seconds, for `settle_s` seconds, and returns time
  /// and clock at the end. If the next call is a read() of the same track, the work continues without a
  /// break.
  Settled settle(Track& track, double repeat_s, double settle_s);
  /// Returns whether two meters of the same GPU or machine reported powers that differ by more than `share`
  /// of one of them.
  bool meters_disagree(const SteadyReading& reading, double share) const;
  /// Waits until all submitted work has ended.
  void drain();

 private:
  struct Piece {
    Track* track;
    int repeats;
    int work;  ///< number of the call of read() or settle() to which the piece belongs
  };
  struct Done {
    TrackTiming replayed;
    int repeats;
  };
  TrackTiming wait_oldest(Piece& piece);
  Done next(Track& track, int repeats);
  int repeats_in_piece(double repeat_s) const;
  bool all_told(int64_t begin_ns, int64_t end_ns) const;
  SteadyReading reading(const std::vector<Done>& done, int64_t from_ns) const;

  std::span<MeterRecord> meters_;
  double piece_s_;
  std::deque<Piece> under_way_;
  int works_ = 0;
  const Track* settled_ = nullptr;  ///< the track of the last call, if that was settle()
};

}  // namespace kjoule
