#include "measure/sensor/sensor_probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>

#include "base/error.hpp"
#include "base/numbers/statistics.hpp"
#include "measure/meters/steady_loop.hpp"
#include "measure/sensor/sampling_beat.hpp"
#include "measure/time/replay_track.hpp"

namespace kjoule {

namespace {

/// Time in each period in which the load is busy: half of a period in the middle of the swept range.
constexpr double kBusy_s = 4e-4;
constexpr double kFirstPause_s = kBusy_s, kShortestPause_s = 5e-5;
/// Longest time of the launches that are repeated within the busy time, so that they fill it well.
constexpr double kMostOnce_s = kBusy_s / 2;
/// A trial of launches takes about kTrial_s, with at most kMostInTrial replays. Some replays before it show
/// how many replays it has.
constexpr double kTrial_s = 0.01, kMostInTrial = 1000;
constexpr int kFirstReplays = 10;
/// Duration of the warm-up, which also shows the meters' sensor intervals.
constexpr double kLoadWarmUp_s = 2;
/// Time for which each load is measured in the coarse and in the fine sweep, after kLoadSettles_s seconds of
/// the load whose readings are not used.
constexpr double kLoadSettles_s = 0.1, kCoarse_s = 0.5, kFine_s = 1.2;
/// Step of the load's rate in the coarse sweep: at most kWidestStep_hz, and at most kStepTimesInterval
/// divided by the sensor interval. A beat is visible up to about 0.75 / (sensor interval) from the sampling
/// rate, so slower meters need smaller steps.
constexpr double kWidestStep_hz = 25, kStepTimesInterval = 1.5;
/// Distances of the loads in the fine sweep from the best sampling rate so far. If the best rate afterwards
/// differs by more than kNear_hz, the fine sweep is repeated around it. There are at most kFineSweeps fine
/// sweeps.
constexpr double kFineOffsets_hz[] = {-6, -4, -2, 2, 4, 6};
constexpr double kNear_hz = 1;
constexpr int kFineSweeps = 3;
/// Step of the sampling rates that are tried. It is small compared with 1 / kFine_s.
constexpr double kTried_hz = 0.3;
/// Rates up to this distance outside of the searched range are tried, too, so that the rate of a sensor there
/// is not mistaken for one within the range. For a sensor that is still slower, a multiple of its rate may be
/// found.
constexpr double kBeyond_hz = 20;
/// Smallest amplitude of a beat, as a share of the mean power. The beat of a sensor that integrates is much
/// smaller.
constexpr double kLeastBeat = 0.05;
constexpr double kLeastExplained = 0.5;
/// Largest half-width of a sampling rate that is accepted, as a share of the rate.
constexpr double kWidest = 0.01;
/// Share by which the sampling rate of a sensor drifts (tests/gpu/fold).
constexpr double kClockKeeps = 2e-4;
constexpr size_t kFewestReadings = 4, kLoadsThatDiffer = 3;
constexpr ptrdiff_t kLoadsThatSwing = 3;

/// Returns the mean time of one replay of the launches `only`, s.
double mean_replay_s(Device& device, std::vector<LaunchIndex> only) {
  const auto track = device.open(SteadyWork{.only = std::move(only)});
  const double about_s = steady_repeat_s(*track, kFirstReplays);
  return steady_repeat_s(*track, static_cast<int>(std::clamp(kTrial_s / about_s, 1.0, kMostInTrial)));
}

std::vector<LaunchIndex> launches_between(LaunchIndex begin, LaunchIndex end) {
  std::vector<LaunchIndex> launches(end - begin);
  std::iota(launches.begin(), launches.end(), begin);
  return launches;
}

/// Returns successive launches that take up to kMostOnce_s in total, repeated until they take about kBusy_s.
std::vector<LaunchIndex> busy_launches(Device& device, LaunchIndex launches) {
  LaunchIndex begin = 0;
  double taken_s = 0;
  for (; begin < launches; ++begin)
    if (taken_s = mean_replay_s(device, {begin}); taken_s <= kMostOnce_s) break;
  if (begin == launches)
    throw BusyDeviceError(
        fmt::format("each launch of the load takes more than {:.1f} ms", 1e3 * kMostOnce_s),
        "end other work on the device; if there is none, the device is too slow for probing its sensor");
  LaunchIndex end = begin + 1;
  for (LaunchIndex low = end, high = launches; low < high;) {  // the largest end that is short enough
    const LaunchIndex middle = low + (high - low + 1) / 2;
    const double middle_s = mean_replay_s(device, launches_between(begin, middle));
    if (middle_s > kMostOnce_s) {
      high = middle - 1;
      continue;
    }
    low = end = middle;
    taken_s = middle_s;
  }
  const std::vector<LaunchIndex> once = launches_between(begin, end);
  std::vector<LaunchIndex> all;
  for (double left = std::round(kBusy_s / taken_s); left > 0; --left)
    all.insert(all.end(), once.begin(), once.end());
  return all;
}

LoadPhase phase_of(const SteadyReading& reading) {
  const double pieces_s = std::accumulate(reading.piece_s.begin(), reading.piece_s.end(), 0.0);
  const auto span_ns = static_cast<double>(reading.end_ns - reading.pieces_begin_ns);
  const double periods = static_cast<double>(reading.repeats) / static_cast<double>(reading.piece_s.size());
  LoadPhase phase{{{reading.pieces_begin_ns, 0}}};
  double passed_s = 0;
  for (const double piece_s : reading.piece_s) {
    passed_s += piece_s;
    phase.marks.push_back({reading.pieces_begin_ns + std::llround(span_ns * passed_s / pieces_s),
                           phase.marks.back().periods + periods});
  }
  return phase;
}

/// The load, the meters, and their readings so far.
class LoadSweep {
 public:
  LoadSweep(Device& device, LaunchIndex launches, const std::vector<std::unique_ptr<Meter>>& meters)
      : meters_(meters),
        values_(meters.size()),
        track_(device.open(SteadyWork{.only = busy_launches(device, launches), .may_pause = true})),
        loop_({}) {
    for (const auto& meter : meters) meter->expect_load(true);
    pause_s_ = kFirstPause_s;
    track_->pause(pause_s_);
    measure(kBusy_s + kFirstPause_s, kLoadWarmUp_s);
  }

  double busy_s() const { return busy_s_; }
  /// Runs a load of about this rate for `span_s` seconds.
  void run(double load_hz, double span_s) { loads_.push_back(phase_of(measured(load_hz, span_s))); }
  /// Runs a load of about this rate after the device was idle, and drops its readings.
  void warm_up(double load_hz) { measured(load_hz, kCoarse_s); }
  /// Returns the loads so far, with the readings of a meter that lie within them.
  std::vector<SweepPoint> points(size_t meter) const {
    const std::vector<PowerReading> all = readings(meter);
    std::vector<SweepPoint> points;
    for (const LoadPhase& load : loads_) {
      points.push_back({load, {}});
      for (const PowerReading& reading : all)
        if (reading.begin_ns >= load.marks.front().ns && reading.end_ns <= load.marks.back().ns)
          points.back().readings.push_back(reading);
    }
    return points;
  }
  /// Returns the readings of a meter so far.
  std::vector<PowerReading> readings(size_t meter) const {
    return power_readings(meters_[meter]->facts(), values_[meter]);
  }

 private:
  SteadyReading measured(double load_hz, double span_s) {
    pause_s_ = std::max(kShortestPause_s, 1 / load_hz - busy_s_);
    track_->pause(pause_s_);
    return measure(busy_s_ + pause_s_, span_s);
  }
  SteadyReading measure(double period_s, double span_s) {
    SteadyReading reading = loop_.read(*track_, period_s, {kLoadSettles_s, span_s});
    busy_s_ = reading.repeat_s - pause_s_;
    for (size_t m = 0; m < meters_.size(); ++m)
      for (const MeterValue& value : meters_[m]->read()) values_[m].push_back(value);
    return reading;
  }

  const std::vector<std::unique_ptr<Meter>>& meters_;
  std::vector<std::vector<MeterValue>> values_;  ///< by meter
  std::unique_ptr<Track> track_;
  SteadyLoop loop_;  ///< declared after the track, because it must end before the track is closed
  double pause_s_ = 0, busy_s_ = 0;
  std::vector<LoadPhase> loads_;
};

double mean_distance_s(const std::vector<PowerReading>& readings) {
  const auto span_ns = static_cast<double>(readings.back().end_ns - readings.front().end_ns);
  return span_ns * 1e-9 / static_cast<double>(readings.size() - 1);
}

/// Returns whether readings as short as these are so frequent that each load of the coarse sweep contains
/// enough.
bool are_short(const std::vector<PowerReading>& readings) {
  const auto averaged_ns = static_cast<double>(readings.back().end_ns - readings.back().begin_ns);
  return std::max(averaged_ns * 1e-9, mean_distance_s(readings)) <= kCoarse_s / kFewestReadings;
}

/// Chooses the meter with the most readings, and sets the mean time between its readings.
void choose_meter(const LoadSweep& sweep, const std::vector<std::unique_ptr<Meter>>& meters,
                  SensorProbe& probe) {
  size_t most = 0;
  for (size_t m = 0; m < meters.size(); ++m) {
    const std::vector<PowerReading> readings = sweep.readings(m);
    if (readings.size() < kFewestReadings || readings.size() <= most || !are_short(readings)) continue;
    most = readings.size();
    probe.meter = m;
    probe.reading_s = mean_distance_s(readings);
  }
  if (most == 0)
    throw Error(
        fmt::format("no meter has a reading at least every {:.3g} s, which a probe needs",
                    kCoarse_s / kFewestReadings),
        "choose a source with a shorter sensor interval with --source; kjoule power devices lists them");
}

ProbedLoad probed_load(const SweepPoint& point) {
  std::vector<double> watts;
  for (const PowerReading& reading : point.readings) watts.push_back(reading.watts);
  return {point.load.mean_hz(), static_cast<int64_t>(watts.size()), watts.empty() ? 0 : mean(watts),
          standard_deviation(watts)};
}

/// Returns the sampling rate that fits all points best.
double best_sensor_hz(const std::vector<SweepPoint>& points) {
  return find_sensor_hz(points, kLowestSensor_hz - kBeyond_hz, kHighestSensor_hz + kBeyond_hz, kTried_hz);
}

/// Throws Error if the meter stood still, that is, if it had no readings, or only equal ones, during some
/// successive loads of different rates. (During one load at the sampling rate, readings are equal.)
void need_different_readings(const std::vector<SweepPoint>& points) {
  for (size_t begin = 0; begin + kLoadsThatDiffer <= points.size(); ++begin) {
    std::set<double> watts;
    for (size_t p = begin; p < begin + kLoadsThatDiffer; ++p)
      for (const PowerReading& reading : points[p].readings) watts.insert(reading.watts);
    if (watts.size() < 2)
      throw Error("the meter stood still during several loads: it had no readings, or only equal ones",
                  "check it with kjoule power idle, or choose another one with --source");
  }
}

/// Returns whether the readings oscillate under several loads as strongly as those of a sensor that samples.
/// (One load may have been disturbed.)
bool readings_swing(const std::vector<SweepPoint>& points) {
  const auto swings = [](const SweepPoint& point) {
    const ProbedLoad load = probed_load(point);
    return load.readings > 1 && load.deviation_w * std::numbers::sqrt2 >= kLeastBeat * load.mean_w;
  };
  return std::ranges::count_if(points, swings) >= kLoadsThatSwing;
}

/// Loads near a sampling rate, and the sampling rate that fits these and all earlier loads best.
struct FineSweep {
  double around_hz = 0;
  std::vector<SweepPoint> points;
  double best_hz = 0;
  bool fits() const { return std::abs(best_hz - around_hz) <= kNear_hz; }
};

FineSweep sweep_near(LoadSweep& sweep, double around_hz, size_t meter, Progress& progress) {
  constexpr size_t kLoads = std::size(kFineOffsets_hz);
  sweep.warm_up(around_hz);
  for (size_t load = 0; load < kLoads; ++load) {
    progress.update(static_cast<double>(load) / kLoads);
    sweep.run(around_hz + kFineOffsets_hz[load], kFine_s);
  }
  const std::vector<SweepPoint> all = sweep.points(meter);
  return {around_hz, {all.end() - kLoads, all.end()}, best_sensor_hz(all)};
}

/// Sets the beat of a probe from the last fine sweep; also the sampling rate if the beat is that of a sensor
/// that samples.
void conclude(FineSweep sweep, SensorProbe& probe) {
  const double about_hz = sweep.fits() ? sweep.best_hz : sweep.around_hz;
  // Under a load so near to the sampling rate, readings oscillate so slowly that they show no rate.
  std::erase_if(sweep.points, [&](const SweepPoint& point) {
    return std::abs(point.load.mean_hz() - about_hz) <= kNear_hz;
  });
  const SamplingBeat beat = measure_beat(sweep.points, about_hz, kNear_hz);
  const Interval hz{beat.sensor_hz.value,
                    std::hypot(beat.sensor_hz.half_width, kClockKeeps * beat.sensor_hz.value)};
  probe.beat_w = beat.amplitude_w;
  probe.mean_w = beat.mean_w;
  if (sweep.fits() && hz.value >= kLowestSensor_hz && hz.value <= kHighestSensor_hz &&
      beat.amplitude_w >= kLeastBeat * beat.mean_w && beat.explained >= kLeastExplained &&
      hz.half_width <= kWidest * hz.value)
    probe.sensor_hz = hz;
}

/// Returns the message that no rate was found. Throws Error if the readings oscillate nevertheless.
std::string reason_without_rate(const std::vector<SweepPoint>& points) {
  if (readings_swing(points))
    throw Error(
        fmt::format("the power readings swing with the load, but no sampling rate between {:g} and {:g} "
                    "Hz explains that",
                    kLowestSensor_hz, kHighestSensor_hz),
        "repeat the probe while the GPU does no other work; a sensor that samples at another rate cannot "
        "be probed");
  return fmt::format("no sampling rate between {:g} and {:g} Hz was found", kLowestSensor_hz,
                     kHighestSensor_hz);
}

}  // namespace

SensorProbe probe_sensor(Device& device, LaunchIndex launches,
                         const std::vector<std::unique_ptr<Meter>>& meters, Progress& progress) {
  progress.stage("warming up the device");
  LoadSweep sweep(device, launches, meters);
  SensorProbe probe;
  choose_meter(sweep, meters, probe);

  progress.stage("searching the sensor's sampling rate");
  const double step_hz = std::min(kWidestStep_hz, kStepTimesInterval / probe.reading_s);
  for (double hz = kLowestSensor_hz; hz < kHighestSensor_hz + step_hz; hz += step_hz) {
    progress.update((hz - kLowestSensor_hz) / (kHighestSensor_hz - kLowestSensor_hz));
    sweep.run(hz, kCoarse_s);
  }
  const std::vector<SweepPoint> coarse = sweep.points(probe.meter);
  need_different_readings(coarse);

  progress.stage("measuring the sensor's sampling rate");
  FineSweep fine = sweep_near(sweep, best_sensor_hz(coarse), probe.meter, progress);
  for (int sweeps = 1; sweeps < kFineSweeps && !fine.fits() && readings_swing(fine.points); ++sweeps)
    fine = sweep_near(sweep, fine.best_hz, probe.meter, progress);
  conclude(std::move(fine), probe);
  probe.busy_s = sweep.busy_s();
  const std::vector<SweepPoint> all = sweep.points(probe.meter);
  if (!probe.sensor_hz) probe.missing = reason_without_rate(all);
  for (const SweepPoint& point : all) probe.loads.push_back(probed_load(point));
  progress.finish();
  return probe;
}

}  // namespace kjoule
