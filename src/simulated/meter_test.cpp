#include "simulated/meter.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "simulated/energy_truth.hpp"
#include "simulated/truth.hpp"

namespace kjoule {
namespace {

using Kind = SimulatedMeterKind;

constexpr int64_t millisecond = 1'000'000;

SimulatedSpec metered_spec_of(const std::string& text) {
  return parse_simulated_spec(text);
}

/// Replays the work for that many seconds, two jobs at a time, and returns what the meter reports meanwhile.
std::vector<MeterValue> read_for(SimulatedDevice& device, Meter& meter, const TrackSpec& spec,
                                 double seconds) {
  const auto track = device.open(spec);
  const int64_t end_ns = device.clock().now_ns() + static_cast<int64_t>(seconds * 1e9);
  std::vector<MeterValue> all;
  track->enqueue(10);
  while (device.clock().now_ns() < end_ns) {
    track->enqueue(10);
    track->wait();
    const std::vector<MeterValue> readings = meter.read();
    all.insert(all.end(), readings.begin(), readings.end());
  }
  track->wait();
  return all;
}

/// Returns the readings at which the counter's value has changed.
std::vector<MeterValue> moves(const std::vector<MeterValue>& readings) {
  std::vector<MeterValue> result;
  for (size_t i = 1; i < readings.size(); ++i)
    if (readings[i].value != readings[i - 1].value) result.push_back(readings[i]);
  return result;
}

double mean_w(Kind kind, const std::vector<MeterValue>& readings) {
  if (kind == Kind::energy_counter) {
    const std::vector<MeterValue> moved = moves(readings);
    return (moved.back().value - moved.front().value) / (0.1 * static_cast<double>(moved.size() - 1));
  }
  double sum = 0;
  for (const MeterValue& reading : readings) sum += reading.value;
  return sum / static_cast<double>(readings.size());
}

TEST(SimulatedMeter, BothKindsReportTheTruthOfTheWhole) {
  for (const Kind kind : {Kind::energy_counter, Kind::power_samples})
    for (const char* text :
         {"seed=2,drift=0", "seed=4,drift=0", "seed=32,drift=0", "seed=6,drift=0,edges=clean"}) {
      SimulatedDevice device(metered_spec_of(text));
      const EnergyTruth truth = energy_truth_of(device.program());
      device.begin_round(1);
      const auto meter = make_simulated_meter(device, kind);
      // With this many iterations, the restores after them are negligible.
      const double watts = mean_w(kind, read_for(device, *meter, SteadyWork{.plain = 100}, 20));
      EXPECT_NEAR(watts / truth.whole_w, 1, 0.003) << text;
      EXPECT_TRUE(meter->take_notes().empty());
    }
}

TEST(SimulatedMeter, TheCounterMovesEvery100MsAndIsSeenLate) {
  SimulatedDevice device(metered_spec_of("seed=4"));
  device.begin_round(0);
  const auto meter = make_simulated_meter(device, Kind::energy_counter);
  EXPECT_EQ(meter->facts().quantity, Quantity::energy_j);
  EXPECT_EQ(meter->facts().tick_s, 0.1);
  const std::vector<MeterValue> readings = read_for(device, *meter, SteadyWork{}, 30);
  EXPECT_NEAR(static_cast<double>(readings.size()), 30 / 0.005, 20);
  const std::vector<MeterValue> moved = moves(readings);
  EXPECT_NEAR(static_cast<double>(moved.size()), 300, 2);
  int64_t least_ns = 1000 * millisecond, most_ns = 0;
  for (const MeterValue& reading : moved) {
    // The delay is relative to a grid of 100 ms whose phase is that of the earliest reading.
    const int64_t late_ns =
        (reading.steady_ns - moved.front().steady_ns + 50 * millisecond) % (100 * millisecond);
    least_ns = std::min(least_ns, late_ns);
    most_ns = std::max(most_ns, late_ns);
    EXPECT_NEAR(reading.value * 1e3, std::round(reading.value * 1e3), 1e-6);
  }
  EXPECT_GT(most_ns - least_ns, 3 * millisecond);
  EXPECT_LT(most_ns - least_ns, 10 * millisecond);
}

TEST(SimulatedMeter, SamplesComeEvery20MsAndAreStampedRight) {
  SimulatedDevice device(metered_spec_of("seed=4,drift=0"));
  device.begin_round(0);
  const auto meter = make_simulated_meter(device, Kind::power_samples);
  std::vector<MeterValue> readings = read_for(device, *meter, SteadyWork{}, 1);
  const int64_t over_ns = device.clock().now_ns();
  device.clock().advance_ns(1'000 * millisecond);
  for (const MeterValue& reading : meter->read()) readings.push_back(reading);
  const SimulatedPower& power = device.program().power;
  for (size_t i = 1; i < readings.size(); ++i)
    EXPECT_EQ(readings[i].steady_ns - readings[i - 1].steady_ns, 20 * millisecond);
  for (const MeterValue& reading : readings) {
    if (reading.steady_ns >= over_ns + 20 * millisecond) {
      EXPECT_NEAR(reading.value / power.idle_w, 1, 0.03);
    } else if (reading.steady_ns <= over_ns && reading.steady_ns > over_ns - 900 * millisecond) {
      EXPECT_GT(reading.value, 300);
    }
  }
  EXPECT_GT(readings.back().steady_ns, over_ns + 960 * millisecond);
}

TEST(SimulatedMeter, ReadingSeldomReportsTheSame) {
  for (const Kind kind : {Kind::energy_counter, Kind::power_samples}) {
    SimulatedDevice device(metered_spec_of("seed=9"));
    device.begin_round(0);
    const auto seldom = make_simulated_meter(device, kind), often = make_simulated_meter(device, kind);
    const std::vector<MeterValue> expected = read_for(device, *often, SteadyWork{}, 5);
    const std::vector<MeterValue> readings = seldom->read();
    ASSERT_GE(readings.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(readings[i].steady_ns, expected[i].steady_ns);
      EXPECT_EQ(readings[i].value, expected[i].value);
    }
  }
}

/// Returns the mean power that the meter reports of launches with pauses, whose period is `period_s`.
double alternating_w(const std::string& spec, Kind kind, double period_s) {
  SimulatedDevice device(metered_spec_of(spec));
  device.begin_round(1);
  const auto meter = make_simulated_meter(device, kind);
  SteadyWork work{.may_pause = true};
  for (int i = 0; i < 40; ++i) work.only.insert(work.only.end(), {0, 1, 2, 3});
  const auto track = device.open(work);
  const double pause_s = 1e-4;
  track->pause(pause_s);
  track->enqueue(100);
  const double busy_s = track->wait().seconds.front() / 100 - pause_s;
  EXPECT_LT(busy_s, 0.8 * period_s);
  track->pause(period_s - busy_s);
  track->enqueue(2000);
  track->wait();
  meter->read();  // of the other period
  track->enqueue(4000);
  track->wait();
  return mean_w(kind, meter->read());
}

TEST(SimulatedMeter, SamplesWorkInStepWithItsSensorAtOnePlace) {
  const std::string steady = "seed=4,drift=0,noise=0,sensor_rate=";
  for (const Kind kind : {Kind::energy_counter, Kind::power_samples}) {
    const double true_w = alternating_w(steady + "0", kind, 1e-3);
    EXPECT_GT(std::abs(alternating_w(steady + "1000", kind, 1e-3) / true_w - 1), 0.1);
    EXPECT_NEAR(alternating_w(steady + "1130", kind, 1e-3) / true_w, 1, 0.02);
  }
}

/// Work in progress must not count as idle time, although wait() was not called for it yet.
TEST(SimulatedMeter, ReportsNothingAboutWorkInProgress) {
  SimulatedDevice device(metered_spec_of("seed=4,drift=0"));
  device.begin_round(1);
  const auto meter = make_simulated_meter(device, Kind::power_samples);
  const auto track = device.open(SteadyWork{});
  track->enqueue(500);
  track->enqueue(500);
  const int64_t end_ns = track->wait().end_ns;
  device.clock().advance_ns(300 * millisecond);
  EXPECT_LE(meter->read().back().steady_ns, end_ns);
  EXPECT_EQ(track->wait().begin_ns, end_ns);
  for (const MeterValue& reading : meter->read()) {
    EXPECT_GT(reading.value, 300);
  }
}

TEST(SimulatedMeter, SequencesAndIterationsDrawPowerToo) {
  SimulatedDevice device(metered_spec_of("seed=4,drift=0"));
  const EnergyTruth truth = energy_truth_of(device.program());
  const Truth times = truth_of(device.program());
  device.begin_round(1);
  const auto meter = make_simulated_meter(device, Kind::power_samples);
  const double watts = mean_w(Kind::power_samples, read_for(device, *meter, Iteration{}, 5));
  const double idle_w = device.program().power.idle_w;
  const double with_gaps_w = idle_w + (truth.whole_w - idle_w) * times.whole_s / times.eager_s;
  EXPECT_NEAR(watts / with_gaps_w, 1, 0.02);
}

/// The same launches in the same order, with or without a restore between the two halves.
TEST(SimulatedMeter, WrongValuesDrawLess) {
  SimulatedDevice device(metered_spec_of("seed=4,drift=0,noise=0,edges=clean"));
  device.begin_round(1);
  const auto meter = make_simulated_meter(device, Kind::power_samples);
  const auto dynamic_w = [&](const Sequence& sequence) {
    const double watts = mean_w(Kind::power_samples, read_for(device, *meter, sequence, 20));
    return watts / device.program().power.heat_factor(device.chip().temperature_c()) -
           device.program().power.idle_w;
  };
  const std::vector<LaunchIndex> window = {20, 21, 22, 23, 24};
  const double right_w = dynamic_w({{{{}, window}, {{}, window}}});
  const double wrong_w = dynamic_w({{{window, window}}});
  EXPECT_NEAR(wrong_w / right_w, (1 + 0.8) / 2, 0.01);
}

TEST(SimulatedMeter, ReportsClockAndTemperature) {
  SimulatedDevice device(metered_spec_of("seed=17,power_limit=450"));
  device.begin_round(0);
  const auto meter = make_simulated_meter(device, Kind::energy_counter);
  const DeviceState before = meter->state().value();
  EXPECT_EQ(before.sm_clock_mhz, 1980);
  read_for(device, *meter, SteadyWork{}, 20);
  EXPECT_LT(meter->state()->sm_clock_mhz, 1900);
  EXPECT_GT(meter->state()->temperature_c, *before.temperature_c + 1);
}

TEST(SimulatedMeter, FaultsAreThoseOfTheSpec) {
  SimulatedDevice none(metered_spec_of("meter=none"));
  EXPECT_THROW(make_simulated_meter(none, Kind::energy_counter), Error);

  SimulatedDevice freezing(metered_spec_of("seed=4,meter=frozen"));
  freezing.begin_round(0);
  const auto frozen = make_simulated_meter(freezing, Kind::energy_counter);
  const std::vector<MeterValue> stands = moves(read_for(freezing, *frozen, SteadyWork{}, 8));
  EXPECT_NEAR(static_cast<double>(stands.back().steady_ns) * 1e-9, 3, 0.2);
  EXPECT_EQ(frozen->take_notes().size(), 1u);

  SimulatedDevice resetting(metered_spec_of("seed=4,meter=resets"));
  resetting.begin_round(0);
  const auto resets = make_simulated_meter(resetting, Kind::energy_counter);
  const std::vector<MeterValue> moved = moves(read_for(resetting, *resets, SteadyWork{}, 8));
  const auto back = std::is_sorted_until(
      moved.begin(), moved.end(), [](const MeterValue& a, const MeterValue& b) { return a.value < b.value; });
  ASSERT_NE(back, moved.end());
  EXPECT_EQ(back->value, 0);
  EXPECT_NEAR(static_cast<double>(back->steady_ns) * 1e-9, 3, 0.2);
  EXPECT_TRUE(std::is_sorted(back, moved.end(),
                             [](const MeterValue& a, const MeterValue& b) { return a.value < b.value; }));
  EXPECT_EQ(resets->take_notes().size(), 1u);
}

}  // namespace
}  // namespace kjoule
