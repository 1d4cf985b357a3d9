#include "measure/isolated/isolated_reader.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/numbers/statistics.hpp"
#include "measure/meters/aliasing.hpp"
#include "measure/meters/filler_mix.hpp"
#include "measure/meters/repeat_count.hpp"
#include "measure/time/replay_track.hpp"

namespace kjoule {

namespace {

/// Duration of one graph. It is long compared with the time for submitting it, and so short that many graphs
/// fit in memory.
constexpr double kGraph_s = 0.01;
/// Duration of one piece of work. It is only one graph long, because the device must complete pieces of the
/// previous work before a new reading begins.
constexpr double kPiece_s = kGraph_s;
constexpr GraphLimits kGraph{.least_s = kGraph_s, .most_copies = 100, .most_launches = 1000};
/// Number of copies of the filler in its graph, whose time is not known before the first reading.
constexpr int kFillerCopies = 100;
/// A clock counts as lowered if it is lower than the clock at rest by more than this share.
constexpr double kSameClock = 0.03;
/// Warm-up after the device was idle, until power and clock are steady again.
constexpr double kWarming_s = 0.5;
/// Time in which a lowered clock recovers.
constexpr double kRecovering_s = 0.2;
/// A mix of work and filler is chosen a second time if its aliasing error is above this share of the mean
/// power.
constexpr double kInStep = 0.01;

/// Subtracts the time and energy of `times` copies of the filler from one repeat of `mix`.
void subtract_filler(const IsolatedReading& filler, double times, IsolatedReading& mix) {
  const double filler_s = times * filler.each_s.value;
  const double left_s = mix.each_s.value - filler_s;
  if (mix.mean_w && filler.mean_w)
    mix.mean_w = (*mix.mean_w * mix.each_s.value - *filler.mean_w * filler_s) / left_s;
  else
    mix.mean_w.reset();
  mix.each_s = {left_s, std::hypot(mix.each_s.half_width, times * filler.each_s.half_width)};
}

}  // namespace

IsolatedReader::IsolatedReader(Device& device, LaunchIndex launches, std::vector<LaunchIndex> filler,
                               std::span<MeterRecord> meters, const ReadingWindow& span)
    : device_(device), filler_(std::move(filler)), span_(span), loop_(meters, kPiece_s) {
  if (!meters.empty()) sensor_hz_ = meters.front().meter().facts().sensor_hz();
  SteadyWork all{1};
  all.only.resize(launches);
  std::iota(all.only.begin(), all.only.end(), LaunchIndex{0});
  const TrackTiming once = kjoule::replay(*device_.open(all), 1);
  if (!once.clock_hz.empty()) rested_clock_hz_ = mean(once.clock_hz);
  if (filler_.empty()) return;
  Track& track = opened(filler_, kFillerCopies);
  const Settled begun = settle(track, kGraph_s, span_.settle_s);
  filler_reading_ = isolated_reading(loop_.read(track, begun.repeat_s, {0, span_.span_s}), kFillerCopies);
  rested_clock_hz_ =
      filler_reading_.clock_hz;  // the whole recording may draw enough power to lower the clock
}

bool IsolatedReader::is_slow(const std::optional<double>& clock_hz) const {
  return rested_clock_hz_ && clock_hz && *clock_hz < (1 - kSameClock) * *rested_clock_hz_;
}

bool IsolatedReader::is_slow(const IsolatedReading& reading) const {
  return is_slow(reading.clock_hz);
}

IsolatedReading IsolatedReader::read(const std::string& kind, const std::vector<LaunchIndex>& launches,
                                     double about_s) {
  if (slow_kinds_.contains(kind)) {
    IsolatedReading mix = among_filler(launches, about_s);
    if (mix.mean_w >= slow_from_w_) return mix;
    slow_kinds_.erase(kind);
  }
  const int copies = copies_in_graph(kGraph, about_s, launches.size());
  Track& track = opened(launches, copies);
  const Settled begun = settle(track, about_s * copies, span_.settle_s);
  // If the clock is already lowered after the warm-up, the reading without filler is not needed.
  if (!filler_.empty() && is_slow(begun.clock_hz)) return slow(kind, launches, begun.repeat_s / copies);
  const IsolatedReading alone =
      isolated_reading(loop_.read(track, begun.repeat_s, {0, span_.span_s}), copies);
  if (filler_.empty() || !is_slow(alone)) return alone;
  return slow(kind, launches, alone.each_s.value);
}

IsolatedReading IsolatedReader::slow(const std::string& kind, const std::vector<LaunchIndex>& launches,
                                     double each_s) {
  settle(*tracks_.front(), filler_reading_.each_s.value * kFillerCopies, kRecovering_s);
  IsolatedReading mix = among_filler(launches, each_s);
  if (mix.mean_w) {
    slow_kinds_.insert(kind);
    slow_from_w_ = std::min(*mix.mean_w, slow_from_w_.value_or(*mix.mean_w));
  }
  return mix;
}

Track& IsolatedReader::opened(const std::vector<LaunchIndex>& launches, int copies) {
  SteadyWork work{copies};
  work.only = launches;
  tracks_.push_back(device_.open(work));
  return *tracks_.back();
}

Settled IsolatedReader::settle(Track& track, double about_s, double settle_s) {
  if (!warm_) settle_s = std::max(settle_s, kWarming_s);
  warm_ = true;
  return loop_.settle(track, about_s, settle_s);
}

double IsolatedReader::aliasing_error_of(double period_s) const {
  return sensor_hz_ ? aliasing_error(period_s, *sensor_hz_, span_.span_s) : 0;
}

Track& IsolatedReader::opened(const std::vector<LaunchIndex>& launches, const FillerMix& mix) {
  std::vector<LaunchIndex> mixed;
  for (int i = 0; i < mix.copies; ++i) mixed.insert(mixed.end(), launches.begin(), launches.end());
  for (int i = 0; i < mix.times; ++i) mixed.insert(mixed.end(), filler_.begin(), filler_.end());
  return opened(mixed, 1);
}

IsolatedReading IsolatedReader::among_filler(const std::vector<LaunchIndex>& launches, double each_s) {
  const double filler_s = filler_reading_.each_s.value;
  const auto settled = [&](const FillerMix& mix) {
    Track& track = opened(launches, mix);
    return std::pair<Track*, Settled>(
        &track, settle(track, each_s * mix.copies + filler_s * mix.times, span_.settle_s));
  };
  const auto mixed = [&] { return filler_mix(each_s, filler_s, sensor_hz_, span_.span_s); };
  FillerMix mix = mixed();
  auto [track, begun] = settled(mix);
  if (aliasing_error_of(begun.repeat_s) > kInStep) {  // the launches take another time than assumed
    each_s = std::max(0.0, begun.repeat_s - filler_s * mix.times) / mix.copies;
    mix = mixed();
    std::tie(track, begun) = settled(mix);
  }
  IsolatedReading read = isolated_reading(loop_.read(*track, begun.repeat_s, {0, span_.span_s}), 1);
  subtract_filler(filler_reading_, mix.times, read);
  read.each_s = {read.each_s.value / mix.copies, read.each_s.half_width / mix.copies};
  read.with_filler = true;
  return read;
}

}  // namespace kjoule
