#include "measure/alone_reader.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "measure/played.hpp"
#include "measure/statistics.hpp"

namespace kjoule {

namespace {

/// In one graph: enough that handing it over is nothing beside it, so few that many graphs fit in memory.
constexpr double kGraph_s = 0.01;
/// As long as a graph: what of the last work is still under way is lost time.
constexpr double kPiece_s = kGraph_s;
constexpr int kMostCopies = 100;
constexpr size_t kMostLaunches = 1000;
/// A clock within this share of the rested one is the same.
constexpr double kSameClock = 0.03;
/// A device that has idled rests again only after a while.
constexpr double kWarming_s = 0.5;
/// A clock that was kept down comes back within that.
constexpr double kRecovering_s = 0.2;
/// Between stretches of the work as long as a large kernel, the filler takes twice as long: what draws 1 kW
/// then draws less than the limit of any board.
constexpr double kStretch_s = 5e-4;
constexpr double kFillerShare = 2;

int most(double least_s, double each_s, int limit) {
  return each_s > 0 ? std::clamp(static_cast<int>(std::ceil(least_s / each_s)), 1, limit) : limit;
}

Interval per_repeat(const SteadyReading& reading) {
  Interval each = mean_interval(reading.piece_s);
  each.value = reading.repeat_s;
  return each;
}

std::optional<double> first_mean_w(const SteadyReading& reading) {
  return reading.mean_w.empty() ? std::nullopt : reading.mean_w.front();
}

/// Of `work` one of so many that the reading played in a repeat.
ReadAlone read_alone(const SteadyReading& reading, int copies) {
  const Interval all = per_repeat(reading);
  return {.each_s = {all.value / copies, all.half_width / copies},
          .mean_w = first_mean_w(reading),
          .clock_hz = reading.clock_hz,
          .read_s = static_cast<double>(reading.end_ns - reading.begin_ns) * 1e-9,
          .slowed_by = reading.slowed_by};
}

/// What is left when `filler` is taken off a repeat of `mix` so often.
void take_off(const ReadAlone& filler, double times, ReadAlone& mix) {
  const double filler_s = times * filler.each_s.value;
  const double left_s = mix.each_s.value - filler_s;
  if (mix.mean_w && filler.mean_w)
    mix.mean_w = (*mix.mean_w * mix.each_s.value - *filler.mean_w * filler_s) / left_s;
  else
    mix.mean_w.reset();
  mix.each_s = {left_s, std::hypot(mix.each_s.half_width, times * filler.each_s.half_width)};
}

}  // namespace

AloneReader::AloneReader(Device& device, LaunchIndex launches, std::vector<LaunchIndex> filler,
                         std::span<MeterRecord> meters, const ReadingSpan& span)
    : device_(device), filler_(std::move(filler)), span_(span), loop_(meters, kPiece_s) {
  Steady all{1};
  all.only.resize(launches);
  std::iota(all.only.begin(), all.only.end(), LaunchIndex{0});
  const Played once = kjoule::play(*device_.open(all), 1);
  if (!once.clock_hz.empty()) rested_clock_hz_ = mean(once.clock_hz);
  if (filler_.empty()) return;
  const double about_s = kStretch_s * static_cast<double>(filler_.size());
  filler_alone_ = play(filler_, kMostCopies, about_s * kMostCopies);
  rested_clock_hz_ = filler_alone_.clock_hz;  // all together may be enough to keep it down
}

bool AloneReader::is_slow(const std::optional<double>& clock_hz) const {
  return rested_clock_hz_ && clock_hz && *clock_hz < (1 - kSameClock) * *rested_clock_hz_;
}

bool AloneReader::is_slow(const ReadAlone& reading) const {
  return is_slow(reading.clock_hz);
}

ReadAlone AloneReader::read(const std::string& kind, const std::vector<LaunchIndex>& launches,
                            double about_s) {
  if (slow_kinds_.contains(kind)) {
    ReadAlone mix = among_filler(launches, about_s);
    if (mix.mean_w >= slow_from_w_) return mix;
    slow_kinds_.erase(kind);
  }
  const int copies = std::min(most(kGraph_s, about_s, kMostCopies),
                              static_cast<int>(std::max<size_t>(1, kMostLaunches / launches.size())));
  Track& track = opened(launches, copies);
  const Settled begun = settle(track, about_s * copies, span_.settle_s);
  // one that is slow by then need not be read to know it
  if (!filler_.empty() && is_slow(begun.clock_hz)) return slow(kind, launches, begun.repeat_s / copies);
  const ReadAlone alone = read_alone(loop_.read(track, begun.repeat_s, 0, span_.span_s), copies);
  if (filler_.empty() || !is_slow(alone)) return alone;
  return slow(kind, launches, alone.each_s.value);
}

ReadAlone AloneReader::slow(const std::string& kind, const std::vector<LaunchIndex>& launches,
                            double each_s) {
  settle(*tracks_.front(), filler_alone_.each_s.value * kMostCopies, kRecovering_s);
  ReadAlone mix = among_filler(launches, each_s);
  if (mix.mean_w) {
    slow_kinds_.insert(kind);
    slow_from_w_ = std::min(*mix.mean_w, slow_from_w_.value_or(*mix.mean_w));
  }
  return mix;
}

Track& AloneReader::opened(const std::vector<LaunchIndex>& launches, int copies) {
  Steady work{copies};
  work.only = launches;
  tracks_.push_back(device_.open(work));
  return *tracks_.back();
}

Settled AloneReader::settle(Track& track, double about_s, double settle_s) {
  if (!warm_) settle_s = std::max(settle_s, kWarming_s);
  warm_ = true;
  return loop_.settle(track, about_s, settle_s);
}

ReadAlone AloneReader::play(const std::vector<LaunchIndex>& launches, int copies, double about_s) {
  Track& track = opened(launches, copies);
  const Settled begun = settle(track, about_s, span_.settle_s);
  return read_alone(loop_.read(track, begun.repeat_s, 0, span_.span_s), copies);
}

ReadAlone AloneReader::among_filler(const std::vector<LaunchIndex>& launches, double each_s) {
  const int copies = most(kStretch_s, each_s, kMostCopies);
  const double filled_s = kFillerShare * each_s * copies;
  const int times = most(filled_s, filler_alone_.each_s.value, static_cast<int>(kMostLaunches));
  std::vector<LaunchIndex> mixed;
  for (int i = 0; i < copies; ++i) mixed.insert(mixed.end(), launches.begin(), launches.end());
  for (int i = 0; i < times; ++i) mixed.insert(mixed.end(), filler_.begin(), filler_.end());
  ReadAlone mix = play(mixed, 1, each_s * copies + filled_s);
  take_off(filler_alone_, times, mix);
  mix.each_s = {mix.each_s.value / copies, mix.each_s.half_width / copies};
  mix.behind_filler = true;
  return mix;
}

}  // namespace kjoule
