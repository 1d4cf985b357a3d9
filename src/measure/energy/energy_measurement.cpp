#include "measure/energy/energy_measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "base/error.hpp"
#include "measure/energy/energy_estimate.hpp"
#include "measure/meters/aliasing.hpp"
#include "measure/meters/repeat_count.hpp"
#include "measure/time/replay_track.hpp"

namespace kjoule {

namespace {

constexpr size_t kMostAlone = 3;  ///< most kernels with a group of their own
/// Smallest share of the sum of times for which a kernel, or the remaining kernels of a tier, get their own
/// group.
constexpr double kWorthAGroup = 0.08;
constexpr double kSettle_s = 0.2;
constexpr double kSpan_s = 0.4;
/// Power is steady when three successive readings of the whole, half a second apart, are within this share.
constexpr double kRests = 0.003;
constexpr size_t kRestingReadings = 3;
constexpr double kLongestWarming_s = 6;
/// For restoring memory in isolation: number of replays that estimate its time, number of readings, and
/// shortest time. Submitting shorter work than kLeastBack_s takes longer than the work itself.
constexpr int kPilotsOfBack = 10;
constexpr int kReadingsOfBack = 2;
constexpr double kLeastBack_s = 5e-6;
/// Shortest pause for measuring the power in pauses.
constexpr double kPauseAlone_s = 1e-3;
/// Duration of the reading that estimates the time of a repeat.
constexpr double kProbe_s = 0.1;
/// Reduction of the aliasing error, as a share of the mean power, for which the pause is changed before a
/// track is read, and for which the track is read again with another pause.
constexpr double kWorthPausing = 0.003, kWorthReadingAgain = 0.01;
/// A reading in which two meters of the same GPU differ by more than this share is repeated, at most
/// kMostAgain times: one of the meters was delayed.
constexpr double kDisagree = 0.03;
constexpr int kMostAgain = 2;
/// Smallest number of blocks of each group after which the precision may end the measurement, because few
/// readings may agree by chance.
constexpr size_t kFewestCycles = 2;

double time_of(const SumEstimate& times, uint32_t kernel) {
  return std::max(0.0, times.kernel_s.at(kernel).value);
}

void add(EnergyGroup& group, uint32_t kernel, const KernelTable& table, double time_s) {
  group.kernels.push_back(kernel);
  group.time_s += time_s;
  group.launches = launches_of(table, group.kernels);
}

/// Adds a group for each tier, because kernels of one tier consume about the same power. Tiers with less than
/// `least_s` join the largest tier.
void add_by_tier(const std::vector<uint32_t>& kernels, const KernelTable& table, const SumEstimate& times,
                 double least_s, std::vector<EnergyGroup>& groups) {
  std::map<Tier, EnergyGroup> tiers;
  for (const uint32_t kernel : kernels)
    add(tiers[table.kernels[kernel].tier], kernel, table, time_of(times, kernel));
  const auto largest =
      std::ranges::max_element(tiers, {}, [](const auto& tier) { return tier.second.time_s; });
  for (auto& [tier, group] : tiers)
    if (group.time_s < least_s && tier != largest->first) {
      for (const uint32_t kernel : group.kernels) add(largest->second, kernel, table, time_of(times, kernel));
      group.kernels.clear();
    }
  for (auto& [tier, group] : tiers)
    if (!group.kernels.empty()) groups.push_back(std::move(group));
}

/// Returns the timing of one reading with this meter.
ReadingWindow window_for(const MeterFacts& meter) {
  return {std::max(kSettle_s, meter.averaging_s), std::max(kSpan_s, kAveragingTimes * meter.averaging_s)};
}

/// Returns the number of groups that can be measured twice within the time limit; all launches together count
/// as one.
double most_groups(double time_limit_s, const ReadingWindow& window) {
  constexpr double kReadings = 6;  // of a block, with probes of the period and repeated readings
  const double pairs = time_limit_s / (kReadings * (window.settle_s + window.span_s)) / 2;
  return std::round(1e3 * pairs) / 1e3;  // 5, not 4.999...
}

/// Returns the groups: up to `alone` kernels have their own group. `order` has the kernels in descending
/// order of time.
std::vector<EnergyGroup> divide(const std::vector<uint32_t>& order, size_t alone, const KernelTable& table,
                                const SumEstimate& times) {
  double sum_s = 0;
  for (const uint32_t kernel : order) sum_s += time_of(times, kernel);
  std::vector<EnergyGroup> groups;
  std::vector<uint32_t> others;
  for (const uint32_t kernel : order) {
    if (groups.size() < alone && time_of(times, kernel) >= kWorthAGroup * sum_s)
      add(groups.emplace_back(), kernel, table, time_of(times, kernel));
    else
      others.push_back(kernel);
  }
  add_by_tier(others, table, times, kWorthAGroup * sum_s, groups);
  return groups;
}

SteadyReading believed(SteadyLoop& loop, Track& track, double about_s, const ReadingWindow& window) {
  SteadyReading reading = loop.read(track, about_s, window);
  for (int i = 0; i < kMostAgain && loop.meters_disagree(reading, kDisagree); ++i)
    reading = loop.read(track, about_s, {0, window.span_s});
  return reading;
}

/// Returns a reading on which all blocks depend. It is repeated once if the first meter reported no power for
/// it, for example because its counter fell during the reading.
SteadyReading needed(SteadyLoop& loop, Track& track, double about_s, const EnergyPlan& plan) {
  const SteadyReading reading = believed(loop, track, about_s, plan.window);
  if (reading.mean_w.front()) return reading;
  return believed(loop, track, about_s, plan.window);
}

/// SteadyWork with pauses that avoid aliasing with the meter's sensor.
class PacedTrack {
 public:
  PacedTrack(Device& device, SteadyWork work, const EnergyPlan& plan, std::optional<Interval> sensor_hz)
      : plan_(plan), iterations_(std::max(1, work.plain)), sensor_hz_(sensor_hz) {
    work.may_pause = sensor_hz_.has_value();
    track_ = device.open(work);
  }

  /// Reads the track. Its period is only known from a reading, because it may change with the state of the
  /// graph. If the period shows that another pause would give a smaller aliasing error, the track is read
  /// again.
  SteadyReading read(SteadyLoop& loop) {
    if (!sensor_hz_) return reading(loop, plan_.window);
    if (!probed_) keep_out_of_step(reading(loop, {kProbe_s, kProbe_s}), kWorthPausing);
    probed_ = true;
    const SteadyReading read = reading(loop, plan_.window);
    return keep_out_of_step(read, kWorthReadingAgain) ? reading(loop, plan_.window) : read;
  }
  /// Reads the track once more, directly after another reading of it.
  SteadyReading read_on(SteadyLoop& loop) { return reading(loop, {0, plan_.window.span_s}); }

 private:
  SteadyReading reading(SteadyLoop& loop, const ReadingWindow& window) {
    const double about_s = iterations_ * (plan_.iteration_s + pause_s_);
    SteadyReading reading = believed(loop, *track_, about_s, window);
    reading.pause_s = iterations_ * pause_s_;
    return reading;
  }

  /// Changes the pause if that reduces the aliasing error by more than `worth`, a share of the mean power;
  /// returns whether it did.
  bool keep_out_of_step(const SteadyReading& reading, double worth) {
    const double paused_s = reading.repeat_s / iterations_, period_s = paused_s - pause_s_;
    const double pause_s = pause_against_aliasing(period_s, *sensor_hz_, plan_.window.span_s);
    const double error = aliasing_error(paused_s, *sensor_hz_, plan_.window.span_s);
    if (error <= worth + aliasing_error(period_s + pause_s, *sensor_hz_, plan_.window.span_s)) return false;
    pause_s_ = pause_s;
    track_->pause(pause_s_);
    return true;
  }

  const EnergyPlan& plan_;
  int iterations_;  ///< iterations in one repeat, each with a pause
  std::optional<Interval> sensor_hz_;
  std::unique_ptr<Track> track_;
  double pause_s_ = 0;
  bool probed_ = false;
};

/// The tracks of the whole and of all groups. All are made before the first one is replayed, because the
/// device would be idle while a track is made.
class Works {
 public:
  Works(Device& device, const EnergyPlan& plan, std::optional<Interval> sensor_hz)
      : whole_(device, whole_of(plan), plan, sensor_hz) {
    for (const EnergyGroup& group : plan.groups) add(device, group.launches, plan, sensor_hz);
    if (reads_all_together(plan)) add(device, all_launches(plan), plan, sensor_hz);
  }

  /// Returns the number of blocks that measure every pair once.
  size_t cycle() const { return pairs_.size(); }
  SteadyReading whole(SteadyLoop& loop) { return whole_.read(loop); }
  EnergyBlock block(SteadyLoop& loop, size_t number, int group) {
    EnergyBlock block;
    block.number = static_cast<int>(number);
    block.group = group;
    block.whole = whole(loop);
    Pair& pair = pairs_[static_cast<size_t>(group)];
    block.with.push_back(pair.with.read(loop));
    block.without.push_back(pair.without.read(loop));
    block.without.push_back(pair.without.read_on(loop));
    block.with.push_back(pair.with.read(loop));
    return block;
  }

 private:
  struct Pair {
    PacedTrack with, without;
  };
  void add(Device& device, const std::vector<LaunchIndex>& launches, const EnergyPlan& plan,
           std::optional<Interval> sensor_hz) {
    pairs_.push_back({{device, marked_of(plan, launches, false), plan, sensor_hz},
                      {device, marked_of(plan, launches, true), plan, sensor_hz}});
  }

  PacedTrack whole_;
  std::vector<Pair> pairs_;  ///< one pair for each group, then that of all launches together
};

void warm_up(Works& works, SteadyLoop& loop, Progress& progress) {
  std::vector<double> watts;
  int64_t begin_ns = 0;
  for (;;) {
    const SteadyReading reading = works.whole(loop);
    if (begin_ns == 0) begin_ns = reading.begin_ns;
    const double passed_s = static_cast<double>(reading.end_ns - begin_ns) * 1e-9;
    progress.update(std::min(1.0, passed_s / kLongestWarming_s));
    if (reading.mean_w.front()) watts.push_back(*reading.mean_w.front());
    if (passed_s >= kLongestWarming_s) return;
    if (watts.size() < kRestingReadings) continue;
    const auto [least, most] = std::minmax_element(watts.end() - kRestingReadings, watts.end());
    if (*most - *least <= kRests * *most) return;
  }
}

}  // namespace

std::vector<EnergyGroup> energy_groups(const KernelTable& table, const SumEstimate& times,
                                       const std::set<LaunchIndex>& excluded, double time_limit_s,
                                       const MeterFacts& meter) {
  std::vector<uint32_t> order;
  for (uint32_t kernel = 0; kernel < table.kernels.size(); ++kernel)
    if (!excluded.contains(table.kernels[kernel].places.front())) order.push_back(kernel);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return time_of(times, a) > time_of(times, b); });
  const double most = most_groups(time_limit_s, window_for(meter));
  std::vector<EnergyGroup> groups = divide(order, kMostAlone, table, times);
  for (size_t alone = kMostAlone; alone > 0 && static_cast<double>(groups.size() + 1) > most;)
    groups = divide(order, --alone, table, times);
  return groups;
}

EnergyPlan make_energy_plan(std::vector<EnergyGroup> groups, double iteration_s, const MeterFacts& meter) {
  EnergyPlan plan;
  plan.groups = std::move(groups);
  plan.iteration_s = iteration_s;
  plan.window = window_for(meter);
  plan.iterations = iterations_in_repeat(iteration_s);
  return plan;
}

void set_edges(const TimedIteration& window, EnergyPlan& plan) {
  if (window.repeats()) return;
  plan.iterations = 1;
  plan.lead = static_cast<LaunchIndex>(window.edges.lead);
  plan.end = static_cast<LaunchIndex>(window.launches - window.edges.tail);
}

void read_restoring(Device& device, std::span<MeterRecord> meters, EnergyPlan& plan) {
  SteadyWork work = restoring_of(plan);
  const auto track = device.open(work);
  const double about_s = steady_repeat_s(*track, kPilotsOfBack);
  if (plan.end && about_s > plan.iteration_s)
    throw Error(
        fmt::format(
            "the launches before the window and restoring memory{} take {:.3g} ms before each replay, "
            "which is longer than the window's {:.3g} ms, so the energy of the window cannot be measured",
            plan.cold ? ", with flushed caches," : "", about_s * 1e3, plan.iteration_s * 1e3),
        "measure an iteration of a loop, or a longer window with --iterations A..B");
  work.may_pause = true;
  const auto paused = device.open(work);
  SteadyLoop loop(meters);
  for (int i = 0; about_s > 0 && i < kReadingsOfBack; ++i)
    plan.restoring.push_back(needed(loop, *track, std::max(about_s, kLeastBack_s), plan));
  const double pause_s = std::max(kPauseAlone_s, about_s);
  paused->pause(pause_s);
  plan.paused.push_back(needed(loop, *paused, about_s + pause_s, plan));
}

EnergyWholes read_wholes(Device& device, std::span<MeterRecord> meters, const EnergyPlan& plan, int count,
                         Progress& progress) {
  Works works(device, plan, meters.front().meter().facts().sensor_hz());
  SteadyLoop loop(meters);
  warm_up(works, loop, progress);
  EnergyWholes wholes;
  for (int i = 0; i < count; ++i) {
    wholes.readings.push_back(works.whole(loop));
    progress.update(static_cast<double>(i + 1) / count);
  }
  return wholes;
}

Stopped measure_energy(Device& device, std::span<MeterRecord> meters, const EnergyPlan& plan,
                       const EnergyOptions& options, std::vector<EnergyBlock>& blocks,
                       const std::function<void(const EnergyBlock&)>& on_block, Progress& progress) {
  if (plan.groups.empty())
    throw Error("energy cannot be measured, because none of the kernels can be replayed",
                "the report has the reason for each kernel");
  Works works(device, plan, meters.front().meter().facts().sensor_hz());
  SteadyLoop loop(meters);
  warm_up(works, loop, progress);
  int64_t spent_ns = blocks.empty() ? 0 : blocks.back().spent_ns;
  for (;;) {
    if (blocks.size() >= works.cycle()) {
      const auto sum = estimate_energy(plan, blocks, 0);
      if (sum && blocks.size() >= kFewestCycles * works.cycle() &&
          sum->relative_half_width() <= options.precision)
        return Stopped::precise;
      const double spent_s = static_cast<double>(spent_ns) * 1e-9;
      const double block_s = spent_s / static_cast<double>(blocks.size());
      if (spent_s + block_s > options.time_limit_s) return Stopped::time_limit;
    }
    EnergyBlock block = works.block(loop, blocks.size(), next_to_measure(plan, blocks));
    spent_ns += block.with.back().end_ns - block.whole.begin_ns;
    block.spent_ns = spent_ns;
    on_block(block);
    blocks.push_back(std::move(block));
    progress.update(std::min(1.0, static_cast<double>(blocks.size()) / static_cast<double>(works.cycle())));
  }
}

}  // namespace kjoule
