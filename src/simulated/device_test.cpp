#include "simulated/device.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "simulated/timeline.hpp"
#include "simulated/truth.hpp"

namespace kjoule {
namespace {

SimulatedSpec spec_of(const std::string& text) {
  return parse_simulated_spec(text);
}

/// Returns the `window` launches before the launch; if the iteration has fewer, also the last ones of the
/// previous iteration.
std::vector<LaunchIndex> before(LaunchIndex launch, int window, size_t launches) {
  std::vector<LaunchIndex> result;
  for (int back = window; back > 0; --back)
    result.push_back(static_cast<LaunchIndex>((launch + launches - static_cast<size_t>(back)) % launches));
  return result;
}

/// Returns two visits for each launch of `order`: the launches before it, and these launches with it.
Sequence visits(const std::vector<LaunchIndex>& order, int window, size_t launches) {
  Sequence sequence;
  for (const LaunchIndex launch : order) {
    std::vector<LaunchIndex> timed = before(launch, window, launches);
    sequence.segments.push_back({{}, timed});
    timed.push_back(launch);
    sequence.segments.push_back({{}, timed});
  }
  return sequence;
}

std::vector<LaunchIndex> in_order(size_t launches) {
  std::vector<LaunchIndex> order(launches);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

TrackTiming replay(Device& device, const TrackSpec& spec, int repeats = 1) {
  const auto track = device.open(spec);
  track->enqueue(repeats);
  return track->wait();
}

/// Largest relative error of the differences between visits, each against the truth of its launch.
double worst_error(const SimulatedSpec& spec, int window) {
  SimulatedDevice device(spec);
  const Truth truth = truth_of(device.program());
  const size_t launches = truth.launch_s.size();
  device.begin_round(0);
  const TrackTiming replayed = replay(device, visits(in_order(launches), window, launches), 2);
  double worst = 0;
  for (size_t i = 0; i < 2 * launches; ++i) {
    const double difference = replayed.seconds[2 * i + 1] - replayed.seconds[2 * i];
    worst = std::max(worst, std::abs(difference / truth.launch_s[i % launches] - 1));
  }
  return worst;
}

RC_GTEST_PROP(SimulatedDevice, SweepsInOrderRecoverEachLaunch, ()) {
  SimulatedSpec spec = spec_of("noise=0,drift=0,long_reuse=on,edges=clean");
  spec.seed = *rc::gen::inRange<uint64_t>(1, 1'000'000);
  spec.launches = *rc::gen::element(0, 20, 60);
  RC_ASSERT(worst_error(spec, *rc::gen::inRange(2, 5)) < 0.005);
}

TEST(SimulatedDevice, AKernelAloneIsWrong) {
  SimulatedDevice device(spec_of("noise=0,drift=0,edges=clean"));
  const Truth truth = truth_of(device.program());
  double worst = 0;
  for (LaunchIndex launch = 0; launch < truth.launch_s.size(); ++launch) {
    const double alone_s = replay(device, Sequence{{{{launch, launch}, {launch}}}}).seconds.at(0);
    worst = std::max(worst, std::abs(alone_s / truth.launch_s[launch] - 1));
  }
  EXPECT_GT(worst, 0.1);
}

/// Long reuse exists to detect an estimator that replays places in any order.
TEST(SimulatedDevice, SweepsOutOfOrderMissLongReuse) {
  SimulatedDevice device(spec_of("seed=13,noise=0,drift=0,long_reuse=on,edges=clean"));
  const Truth truth = truth_of(device.program());
  std::vector<LaunchIndex> order = in_order(truth.launch_s.size());
  std::reverse(order.begin(), order.end());
  device.begin_round(0);
  const TrackTiming replayed = replay(device, visits(order, 4, order.size()));
  double sum_s = 0;
  for (size_t i = 0; i < replayed.seconds.size(); i += 2)
    sum_s += replayed.seconds[i + 1] - replayed.seconds[i];
  EXPECT_GT(std::abs(sum_s / truth.whole_s - 1), 0.05);
}

TEST(SimulatedDevice, CleanEdgesCostNothing) {
  SimulatedDevice device(spec_of("noise=0,drift=0,edges=clean"));
  const std::vector<LaunchIndex> all = in_order(device.program().launches.size());
  const std::vector<LaunchIndex> front(all.begin(), all.begin() + 20), rear(all.begin() + 20, all.end());
  device.begin_round(0);
  const double whole_s = replay(device, Sequence{{{{}, all}}}).seconds.at(0);
  const auto halves = replay(device, Sequence{{{{}, front}, {{}, rear}}}).seconds;
  const auto led = replay(device, Sequence{{{front, rear}}}).seconds;
  EXPECT_NEAR(led.at(0), halves.at(1), 1e-15);
  EXPECT_NEAR(halves.at(0) + halves.at(1), whole_s, 1e-12);
  EXPECT_EQ(replay(device, Sequence{{{front, {}}}}).seconds.at(0), 0);
  EXPECT_TRUE(device.info().can_time_between_launches);
  EXPECT_TRUE(device.info().can_time_between_launches);
}

TEST(SimulatedDevice, OnlyStampsTimeLaunchesWhereEdgesDrain) {
  SimulatedDevice device(spec_of("seed=2"));
  EXPECT_FALSE(device.info().can_time_between_launches);
  EXPECT_FALSE(device.info().can_time_between_launches);
  EXPECT_THROW(device.open(Sequence{{{{}, {1, 2}}}}), Error);
}

/// Returns work that times every launch of three iterations, by the clock or by stamps, as the device can.
TrackSpec sweep_of(const SimulatedDevice& device) {
  const size_t launches = device.program().launches.size();
  if (device.info().can_time_between_launches) return visits(in_order(launches), 3, launches);
  StampedWork work;
  for (size_t place = 0; place < 3 * launches; ++place) {
    work.launches.push_back(static_cast<LaunchIndex>(place % launches));
    work.stamped_after.push_back(static_cast<uint32_t>(place));
  }
  return work;
}

TEST(SimulatedDevice, ARoundDependsOnItsNumberAndTheClockAlone) {
  for (const char* text : {"seed=4", "seed=13,edges=clean", "seed=20"}) {
    SimulatedDevice whole_run(spec_of(text)), resumed(spec_of(text));
    const TrackSpec sweep = sweep_of(whole_run);
    int64_t killed_at_ns = 0;
    for (int round = 0; round < 6; ++round) {
      killed_at_ns = whole_run.clock().now_ns();
      whole_run.begin_round(round);
      replay(whole_run, Iteration{}, 1 + round);
      if (round < 5) replay(whole_run, sweep, 2);
    }
    const TrackTiming expected = replay(whole_run, sweep, 3);

    replay(resumed, sweep, 5);
    resumed.clock().set_ns(killed_at_ns);
    resumed.begin_round(5);
    replay(resumed, Iteration{}, 6);
    const TrackTiming again = replay(resumed, sweep, 3);
    EXPECT_EQ(again.seconds, expected.seconds) << text;
    EXPECT_EQ(again.begin_ns, expected.begin_ns);
    EXPECT_EQ(again.end_ns, expected.end_ns);
    resumed.begin_round(6);
    EXPECT_NE(replay(resumed, Iteration{}).seconds, replay(resumed, Iteration{}).seconds) << "noise goes on";
  }
}

TEST(SimulatedDevice, ReplaysInTheOrderOfEnqueueing) {
  SimulatedDevice device(spec_of("seed=2,edges=clean"));
  device.begin_round(0);
  const auto first = device.open(Iteration{});
  const auto second = device.open(Sequence{{{{0, 1}, {2}}, {{}, {3, 4}}}});
  first->enqueue(1);
  second->enqueue(2);
  first->enqueue(3);
  const TrackTiming b = second->wait();
  const TrackTiming a = first->wait();
  const TrackTiming c = first->wait();
  EXPECT_EQ(a.seconds.size(), 1u);
  EXPECT_EQ(b.seconds.size(), 4u);
  EXPECT_EQ(c.seconds.size(), 3u);
  EXPECT_LT(a.end_ns, b.begin_ns);
  EXPECT_LT(b.end_ns, c.begin_ns);
  EXPECT_EQ(device.clock().now_ns(), c.end_ns);
  EXPECT_NEAR(static_cast<double>(c.end_ns - c.begin_ns) * 1e-9,
              std::accumulate(c.seconds.begin(), c.seconds.end(), 0.0), 2e-9);
  EXPECT_THROW(first->wait(), DeviceError);
}

TEST(SimulatedDevice, ItsSpeedDriftsWithinAMinute) {
  for (int seed = 1; seed <= 20; ++seed) {
    SimulatedDevice device(spec_of("noise=0,seed=" + std::to_string(seed)));
    double low = 2, high = 0, mean = 0;
    for (int second = 0; second < 1200; ++second) {
      const double slowdown = device.slowdown(second * 1'000'000'000LL);
      if (second < 80) low = std::min(low, slowdown), high = std::max(high, slowdown);
      mean += slowdown / 1200;
      EXPECT_LT(std::abs(device.slowdown(second * 1'000'000'000LL + 100'000'000) - slowdown), 0.003)
          << "smooth";
    }
    EXPECT_GE(high - low, 0.225);
    EXPECT_LE(high - low, 0.3);
    EXPECT_NEAR(mean, 1, 0.02);
  }
}

TEST(SimulatedDevice, EverythingIsAsSlowAsTheDrift) {
  SimulatedDevice device(spec_of("noise=0,seed=9"));
  const Truth truth = truth_of(device.program());
  for (const int64_t at_s : {0, 17, 45, 300}) {
    device.clock().set_ns(at_s * 1'000'000'000);
    device.begin_round(0);
    const double slowdown = device.slowdown(device.clock().now_ns());
    EXPECT_NEAR(replay(device, Iteration{}).seconds[0] / (truth.eager_s + truth.edge_s), slowdown, 1e-4);
  }
}

TEST(SimulatedDevice, RecordsItsProgram) {
  SimulatedDevice device(spec_of("seed=7,edges=clean"));
  const Recording recording = device.record();
  ASSERT_EQ(recording.launches.size(), device.program().launches.size());
  EXPECT_EQ(recording.program["kind"], "simulated");
  EXPECT_EQ(recording.program["spec"], "seed=7,edges=clean");
  EXPECT_EQ(recording.device, device.info().description);
  const nlohmann::json& detail = recording.launches[1].detail;
  EXPECT_EQ(detail["reads"][0][0], device.program().launches[1].reads[0].begin);
  EXPECT_EQ(device.verify().launches, static_cast<int>(recording.launches.size()));
  EXPECT_TRUE(device.verify().different.empty());
  EXPECT_TRUE(device.verify().failed.empty());
}

/// Tests a program whose launches overlap in its own iteration, and programs whose launches do not.
TEST(SimulatedDevice, ItsTimelineIsItsTruth) {
  int overlapping = 0;
  for (int seed = 1; seed <= 60; ++seed) {
    SimulatedDevice device(spec_of(fmt::format("drift=0,seed={}", seed)));
    const Truth truth = truth_of(device.program());
    const Observation seen = device.observe().value();
    EXPECT_TRUE(seen.audit.equal()) << seed << ": " << seen.audit.differences.front();
    EXPECT_EQ(seen.launch_s, truth.launch_s);
    const TimelineTotals totals = timeline_totals(seen.iteration);
    const double first_gap_s = eager_iteration(device.program()).front().gap_s;
    EXPECT_NEAR(static_cast<double>(totals.span_ns) * 1e-9 + first_gap_s, truth.eager_s, 1e-6) << seed;
    std::map<uint64_t, int64_t> end_ns;
    for (const Activity& activity : seen.iteration) {
      EXPECT_GE(activity.begin_ns, end_ns[activity.stream]) << "a stream runs one at a time";
      end_ns[activity.stream] = activity.end_ns;
    }
    EXPECT_EQ(totals.overlap_ns > 0, end_ns.size() > 1) << seed;
    overlapping += totals.overlap_ns > 0;
  }
  EXPECT_GT(overlapping, 0);
  EXPECT_LT(overlapping, 30);
}

TEST(SimulatedDevice, ALostRecordIsADifference) {
  SimulatedDevice device(spec_of("launches=40,lost_record=7"));
  const Observation seen = device.observe().value();
  EXPECT_EQ(seen.iteration.size(), 39u);
  ASSERT_EQ(seen.audit.differences_found, 1u);
  EXPECT_NE(seen.audit.differences[0].find("launch 7 "), std::string::npos) << seen.audit.differences[0];
  EXPECT_EQ(seen.launch_s.size(), 40u);
  EXPECT_THROW(SimulatedDevice(spec_of("launches=40,lost_record=40")), Error);
}

TEST(SimulatedDevice, ObservingChangesNothingAndACpuKeepsNoTimeline) {
  SimulatedDevice device(spec_of("seed=3")), other(spec_of("seed=3"));
  device.begin_round(0);
  other.begin_round(0);
  device.observe();
  EXPECT_EQ(replay(device, Iteration{}, 3).seconds, replay(other, Iteration{}, 3).seconds);
  EXPECT_FALSE(SimulatedDevice(spec_of("seed=3,edges=clean")).observe().has_value());
}

TEST(SimulatedDevice, ItsClockFollowsItsSpeed) {
  SimulatedDevice device(spec_of("noise=0,seed=9"));
  device.clock().set_ns(17'000'000'000);
  const TrackTiming slow = replay(device, Iteration{}, 2);
  ASSERT_EQ(slow.clock_hz.size(), 2u);
  EXPECT_NEAR(slow.clock_hz[0] * device.slowdown(17'000'000'000), 1.755e9, 1e7);
  SimulatedDevice cpu(spec_of("edges=clean"));
  EXPECT_TRUE(replay(cpu, Iteration{}).clock_hz.empty());
}

TEST(SimulatedDevice, AFailingLaunchIsNamedAndTheRestGoesOn) {
  SimulatedDevice device(spec_of("launches=40,fail=7"));
  ASSERT_EQ(device.verify().failed.size(), 1u);
  EXPECT_EQ(device.verify().failed[0].first, 7u);
  device.begin_round(0);
  EXPECT_NO_THROW(replay(device, Iteration{})) << "the program itself runs";
  const auto track = device.open(StampedWork{{5, 6, 7, 8}, {0, 3}});
  track->enqueue(1);
  const int64_t begin_ns = device.clock().now_ns();
  try {
    track->wait();
    FAIL() << "launch 7 did not throw";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.launch, 7u);
    EXPECT_FALSE(error.lost);
  }
  EXPECT_GT(device.clock().now_ns(), begin_ns) << "what came before it was replayed";
  EXPECT_EQ(replay(device, StampedWork{{5, 6, 8, 9}, {0, 1, 3}}).seconds.size(), 2u);
}

TEST(SimulatedDevice, ACrashLosesIt) {
  SimulatedDevice device(spec_of("launches=40,crash=0.1"));
  device.begin_round(0);
  const auto track = device.open(Iteration{});
  const auto until_lost = [&] {
    for (int i = 0; i < 100'000; ++i) {
      track->enqueue(10);
      track->wait();
    }
  };
  try {
    until_lost();
    FAIL() << "it never crashed";
  } catch (const DeviceError& error) {
    EXPECT_TRUE(error.lost);
  }
  EXPECT_NEAR(static_cast<double>(device.clock().now_ns()) * 1e-9, 0.1, 0.05);
  EXPECT_THROW(device.open(Iteration{}), DeviceError);
  EXPECT_THROW(device.begin_round(1), DeviceError);
}

TEST(SimulatedDevice, RefusesWhatCannotBeReplayed) {
  SimulatedDevice device(spec_of("launches=40,edges=clean"));
  EXPECT_THROW(device.open(Sequence{{{{}, {40}}}}), DeviceError);
  EXPECT_THROW(SimulatedDevice(spec_of("differ=on")).record(), Error);
}

TEST(SimulatedDevice, WorkThatNobodyWaitsForStaysOutOfTheNextRound) {
  SimulatedDevice device(spec_of("seed=2")), other(spec_of("seed=2"));
  device.open(Iteration{})->enqueue(3);
  device.begin_round(1);
  const TrackTiming replayed = replay(device, Iteration{});
  EXPECT_EQ(replayed.seconds.size(), 1u);
  replay(other, Iteration{}, 3);
  other.begin_round(1);
  EXPECT_EQ(replay(other, Iteration{}).seconds, replayed.seconds);
}

}  // namespace
}  // namespace kjoule
