#include "simulated/steady.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "simulated/device.hpp"
#include "simulated/energy_truth.hpp"
#include "simulated/truth.hpp"

namespace kjoule {
namespace {

SimulatedSpec steady_spec_of(const std::string& text) {
  return parse_simulated_spec(text);
}

/// Mean time and energy of one repeat.
struct Repeat {
  double seconds = 0, joules = 0;
  double watts() const { return joules / seconds; }
};

TrackTiming replay_steadily(Device& device, const TrackSpec& spec, int repeats = 1) {
  const auto track = device.open(spec);
  track->enqueue(repeats);
  return track->wait();
}

/// Makes the device keep the energy that it consumes from now on, for joules_of.
std::shared_ptr<const int64_t> remember(SimulatedDevice& device) {
  auto from_ns = std::make_shared<const int64_t>(device.clock().now_ns());
  device.chip().history().keep(from_ns);
  return from_ns;
}

double joules_of(SimulatedDevice& device, const TrackTiming& replayed) {
  const EnergyHistory& history = device.chip().history();
  return history.joules_at(replayed.end_ns) - history.joules_at(replayed.begin_ns);
}

/// Replays for that long, in one piece.
Repeat replay_for(SimulatedDevice& device, const SteadyWork& work, double seconds, double pause_s = 0) {
  const auto remembered = remember(device);
  const auto repeats = static_cast<int>(seconds / replay_steadily(device, work).seconds.at(0)) + 1;
  const auto track = device.open(work);
  if (work.may_pause) track->pause(pause_s);
  track->enqueue(repeats);
  const TrackTiming replayed = track->wait();
  return {replayed.seconds.at(0) / repeats, joules_of(device, replayed) / repeats};
}

TEST(SteadyWork, TakesOneTimeForAllItsRepeats) {
  SimulatedDevice device(steady_spec_of("seed=3,drift=0,noise=0"));
  const Truth truth = truth_of(device.program());
  device.begin_round(0);
  const auto track = device.open(SteadyWork{});
  track->enqueue(0);
  EXPECT_EQ(track->wait().seconds, std::vector<double>{0});
  track->enqueue(1);
  track->wait();
  track->enqueue(1);
  const TrackTiming one = track->wait(), many = replay_steadily(device, SteadyWork{}, 1000);
  ASSERT_EQ(many.seconds.size(), 1u);
  EXPECT_NEAR(many.seconds[0] / one.seconds.at(0), 1000, 1e-3);
  EXPECT_NEAR(static_cast<double>(many.end_ns - many.begin_ns) * 1e-9, many.seconds[0], 1e-9);
  ASSERT_EQ(many.clock_hz.size(), 1u);
  EXPECT_NEAR(many.clock_hz[0], 1.98e9, 1);
  const double four_s = replay_steadily(device, SteadyWork{.plain = 5}, 1000).seconds[0] - many.seconds[0];
  EXPECT_NEAR(four_s / 4000 / truth.whole_s, 1, 1e-3);
}

TEST(SteadyWork, ItsNoiseIsThatOfSoManyLaunches) {
  for (const int repeats : {1, 100}) {
    SimulatedDevice device(steady_spec_of("seed=3,drift=0,noise=0.02"));
    const Truth truth = truth_of(device.program());
    device.begin_round(0);
    double sum = 0, squares = 0, expected = 0;
    for (const double launch_s : truth.launch_s) expected += launch_s * launch_s;
    expected = 0.02 * std::sqrt(0.75 * expected / repeats) / truth.whole_s;
    const double mean_s = replay_steadily(device, SteadyWork{}, 1'000'000).seconds.at(0) / 1e6;
    for (int i = 0; i < 4000; ++i) {
      const double seconds =
          replay_steadily(device, SteadyWork{}, repeats).seconds.at(0) / (repeats * mean_s) - 1;
      sum += seconds;
      squares += seconds * seconds;
    }
    EXPECT_NEAR(sum / 4000, 0, 5 * expected / std::sqrt(4000.0));
    EXPECT_NEAR(std::sqrt(squares / 4000) / expected, 1, 0.1) << repeats;
  }
}

TEST(SteadyWork, FollowsWithoutAPauseOnWhatWasNotOver) {
  SimulatedDevice device(steady_spec_of("seed=5"));
  device.begin_round(0);
  const auto whole = device.open(SteadyWork{}), other = device.open(SteadyWork{.plain = 2});
  whole->enqueue(10);
  whole->enqueue(10);
  const TrackTiming first = whole->wait();
  other->enqueue(10);
  device.clock().advance_ns(1'000'000);
  const TrackTiming second = whole->wait(), third = other->wait();
  EXPECT_EQ(second.begin_ns, first.end_ns);
  EXPECT_EQ(third.begin_ns, second.end_ns);
  EXPECT_GE(device.clock().now_ns(), third.end_ns);

  const int64_t over_ns = device.clock().now_ns();
  device.clock().advance_ns(100'000'000);
  const TrackTiming late = replay_steadily(device, SteadyWork{}, 10);
  EXPECT_GT(late.begin_ns, over_ns + 100'000'000);
  const EnergyHistory& history = device.chip().history();
  const double idle_j = history.joules_at(over_ns + 90'000'000) - history.joules_at(over_ns + 10'000'000);
  EXPECT_NEAR(idle_j / 0.08 / device.program().power.idle_w, 1, 0.02);
}

TEST(SteadyWork, PausesBeforeEachIterationAtIdlePower) {
  SimulatedDevice device(steady_spec_of("seed=4,drift=0,noise=0"));
  device.begin_round(0);
  const double idle_w = device.program().power.idle_w;
  const Repeat whole = replay_for(device, {.plain = 10}, 30);  // warm by then
  const Repeat paused = replay_for(device, {.plain = 10, .may_pause = true}, 2, 1e-4);
  EXPECT_NEAR((paused.seconds - whole.seconds) / 1e-3, 1, 1e-3);
  EXPECT_NEAR((paused.joules - whole.joules) / (1e-3 * idle_w), 1, 0.5);
  const Repeat back = replay_for(device, {.plain = 0}, 0.5);
  const Repeat paused_back = replay_for(device, {.plain = 0, .may_pause = true}, 0.5, 1e-4);
  EXPECT_NEAR((paused_back.seconds - back.seconds) / 1e-4, 1, 1e-3);
  const Repeat only = replay_for(device, {.plain = 3, .only = {0, 1}, .may_pause = true}, 0.5);
  const Repeat paused_only = replay_for(device, {.plain = 3, .only = {0, 1}, .may_pause = true}, 0.5, 1e-4);
  EXPECT_NEAR((paused_only.seconds - only.seconds) / 3e-4, 1, 1e-3);
  EXPECT_NEAR((paused_only.joules - only.joules) / (3e-4 * idle_w), 1, 0.1);
  EXPECT_THROW(device.open(SteadyWork{})->pause(1e-4), Error);
}

/// A quarter of the launches. The difference between work with and without them must be their cost in the
/// whole.
struct Quarter {
  double joules = 0, seconds = 0;  ///< the measured difference
  double true_j = 0, true_s = 0;   ///< their true energy and time in the whole
};

Quarter quarter_of(SimulatedDevice& device, LaunchIndex first) {
  const EnergyTruth truth = energy_truth_of(device.program());
  const Truth times = truth_of(device.program());
  Quarter quarter;
  SteadyWork work{.plain = 1};
  for (LaunchIndex i = first; i < truth.launch_j.size(); i += 4) {
    work.marked.push_back(i);
    quarter.true_j += truth.launch_j[i];
    quarter.true_s += times.launch_s[i];
  }
  const Repeat with = replay_for(device, work, 2);
  work.left_out = true;
  const Repeat without = replay_for(device, work, 2);
  quarter.joules = with.joules - without.joules;
  quarter.seconds = with.seconds - without.seconds;
  return quarter;
}

TEST(SteadyWork, MarkedLaunchesAreWorthTheirTruth) {
  for (const char* text : {"seed=4,drift=0,noise=0", "seed=8,drift=0,noise=0"}) {
    SimulatedDevice device(steady_spec_of(text));
    device.begin_round(1);
    Quarter all;
    for (LaunchIndex first = 0; first < 4; ++first) {
      const Quarter quarter = quarter_of(device, first);
      EXPECT_NEAR(quarter.joules / quarter.true_j, 1, 0.02) << text << " quarter " << first;
      EXPECT_NEAR(quarter.seconds / quarter.true_s, 1, 0.02) << text << " quarter " << first;
      all.joules += quarter.joules;
      all.true_j += quarter.true_j;
    }
    EXPECT_NEAR(all.joules / all.true_j, 1, 0.01) << text;
  }
}

TEST(SteadyWork, LaunchesThatWriteWhatTheCacheLostSeemCheaperInTimeAndEnergyAlike) {
  SimulatedDevice device(steady_spec_of("seed=13,drift=0,noise=0"));
  device.begin_round(1);
  const Quarter quarter = quarter_of(device, 1);
  const double time = quarter.seconds / quarter.true_s;
  EXPECT_LT(time, 0.9) << "the copies that stand for them pay for the misses";
  EXPECT_NEAR(quarter.joules / quarter.true_j / time, 1, 0.06);
}

TEST(SteadyWork, WarmsTheChipAndTheChipDrawsMore) {
  SimulatedDevice device(steady_spec_of("seed=4,drift=0,noise=0"));
  const EnergyTruth truth = energy_truth_of(device.program());
  device.begin_round(0);
  EXPECT_NEAR(device.chip().temperature_c(), device.program().power.cold_c, 0.1);
  const Repeat cold = replay_for(device, SteadyWork{.plain = 10}, 0.2);
  replay_for(device, SteadyWork{.plain = 10}, 60);
  EXPECT_NEAR(device.chip().temperature_c(), truth.temperature_c, 0.03);
  const Repeat warm = replay_for(device, SteadyWork{.plain = 10}, 0.2);
  const double kelvin = truth.temperature_c - device.program().power.cold_c;
  EXPECT_NEAR(warm.watts() / cold.watts(), 1 + 0.005 * kelvin, 0.001);
  EXPECT_EQ(warm.seconds, cold.seconds);
  device.clock().advance_ns(100'000'000'000);
  EXPECT_NEAR(device.chip().temperature_c(), device.program().power.cold_c, 1e-3);
}

TEST(SteadyWork, AboveThePowerLimitTheClockFallsAndRisesAgain) {
  SimulatedDevice device(steady_spec_of("seed=17,drift=0,power_limit=450"));
  const EnergyTruth truth = energy_truth_of(device.program());
  device.begin_round(1);
  const double fresh_s = replay_steadily(device, SteadyWork{}).seconds.at(0);
  replay_for(device, SteadyWork{.plain = 4}, 40);
  const auto remembered = remember(device);
  const TrackTiming limited = replay_steadily(device, SteadyWork{.plain = 4}, 500);
  const TrackTiming once = replay_steadily(device, SteadyWork{.plain = 1}, 500);
  EXPECT_NEAR(limited.clock_hz.at(0) / truth.clock_hz, 1, 0.01);
  EXPECT_NEAR(joules_of(device, limited) / limited.seconds[0], 450, 1);
  EXPECT_NEAR((joules_of(device, limited) - joules_of(device, once)) / 1500 / truth.whole_j, 1, 0.01);
  EXPECT_GT(once.seconds[0] / 500, 1.1 * fresh_s);
  device.clock().advance_ns(2'000'000'000);
  EXPECT_NEAR(replay_steadily(device, SteadyWork{}).clock_hz.at(0), 1.98e9, 1);
}

TEST(SteadyWork, ARoundDependsOnItsNumberAndTheClockAlone) {
  SimulatedDevice whole_run(steady_spec_of("seed=4")), resumed(steady_spec_of("seed=4"));
  for (int round = 0; round < 3; ++round) {
    whole_run.begin_round(round);
    replay_steadily(whole_run, SteadyWork{}, 3000);
  }
  resumed.clock().set_ns(whole_run.clock().now_ns());
  for (SimulatedDevice* device : {&whole_run, &resumed}) device->begin_round(3);
  const auto remembered = remember(whole_run), remembered_too = remember(resumed);
  const TrackTiming expected = replay_steadily(whole_run, SteadyWork{}, 3000),
                    again = replay_steadily(resumed, SteadyWork{}, 3000);
  EXPECT_EQ(again.seconds, expected.seconds);
  EXPECT_EQ(again.begin_ns, expected.begin_ns);
  EXPECT_NEAR(joules_of(resumed, again) / joules_of(whole_run, expected), 1, 1e-9);
}

TEST(SteadyWork, ALaunchThatFailsIsNamedUnlessItIsLeftOut) {
  SimulatedDevice device(steady_spec_of("launches=40,fail=7"));
  EXPECT_THROW(replay_steadily(device, SteadyWork{}), DeviceError);
  EXPECT_THROW(replay_steadily(device, SteadyWork{.plain = 0, .marked = {7}}), DeviceError);
  EXPECT_NO_THROW(replay_steadily(device, SteadyWork{.plain = 0, .marked = {7}, .left_out = true}));
  EXPECT_THROW(device.open(SteadyWork{.marked = {40}}), DeviceError);
}

TEST(SteadyWork, ACrashLosesTheDeviceAmidWork) {
  SimulatedDevice device(steady_spec_of("crash=0.5"));
  EXPECT_THROW(replay_steadily(device, SteadyWork{}, 1'000'000), DeviceError);
  EXPECT_NEAR(static_cast<double>(device.clock().now_ns()) * 1e-9, 0.5, 0.01);
}

}  // namespace
}  // namespace kjoule
