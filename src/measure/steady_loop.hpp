#pragma once
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "measure/meter_record.hpp"

namespace kjoule {

/// A while of one steady work.
struct SteadyReading {
  double repeat_s = 0;                          ///< of one repeat
  double pause_s = 0;                           ///< all pauses in it
  std::vector<std::optional<double>> mean_w{};  ///< by meter
  std::optional<double> clock_hz{};             ///< mean of the processors, where the device tells
  std::optional<double> temperature_c{};
  std::vector<std::string> slowed_by{};  ///< what kept the clock down at its end, where that is known
  int64_t begin_ns = 0, end_ns = 0;      ///< what the means are of
  std::vector<double> piece_s{};         ///< one repeat in each piece of it that was handed over at once
};

template <class Fields>
void describe(Fields& fields, SteadyReading& reading) {
  fields("repeat_s", reading.repeat_s);
  fields("pause_s", reading.pause_s);
  fields("mean_w", reading.mean_w);
  fields("clock_hz", reading.clock_hz);
  fields("temperature_c", reading.temperature_c);
  fields("slowed_by", reading.slowed_by);
  fields("begin_ns", reading.begin_ns);
  fields("end_ns", reading.end_ns);
}

/// How a work began.
struct Settled {
  double repeat_s = 0;                  ///< of one repeat, in the piece played last
  std::optional<double> clock_hz = {};  ///< then, mean of the processors; where the device tells
};

/// Plays works one after another and reads meters meanwhile. The device never idles: the next piece of work
/// is handed over while the last one runs, also from one work to the next.
class SteadyLoop {
 public:
  /// `piece_s` of a work is handed over at once: long against a message to the device, short against a
  /// reading.
  explicit SteadyLoop(std::span<MeterRecord> meters, double piece_s = 0.04)
      : meters_(meters), piece_s_(piece_s) {}
  ~SteadyLoop();
  SteadyLoop(const SteadyLoop&) = delete;
  SteadyLoop& operator=(const SteadyLoop&) = delete;

  /// Plays `track`, whose repeat takes about `repeat_s`, for settle_s, in which power and clock come to rest,
  /// and then for span_s, which is read; longer, up to three spans, while a meter has nothing to say of it or
  /// fewer than two pieces were read.
  SteadyReading read(Track& track, double repeat_s, double settle_s, double span_s);
  /// Plays `track` for settle_s. A read() of it that comes next goes on where this ends.
  Settled settle(Track& track, double repeat_s, double settle_s);
  /// Whether the first meter and another one of the same scope are farther apart than this share.
  bool meters_disagree(const SteadyReading& reading, double share) const;
  /// Waits for what is under way.
  void drain();

 private:
  struct Piece {
    Track* track;
    int repeats;
    int work;  ///< number of the read() that it belongs to
  };
  struct Done {
    Played played;
    int repeats;
  };
  Played wait_oldest(Piece& piece);
  Done next(Track& track, int repeats);
  int repeats_in_piece(double repeat_s) const;
  bool all_told(int64_t begin_ns, int64_t end_ns) const;
  SteadyReading reading(const std::vector<Done>& done, int64_t from_ns) const;

  std::span<MeterRecord> meters_;
  double piece_s_;
  std::deque<Piece> under_way_;
  int works_ = 0;
  const Track* settled_ = nullptr;  ///< by the last call
};

}  // namespace kjoule
