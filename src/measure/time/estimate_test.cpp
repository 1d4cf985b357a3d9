#include "measure/time/estimate.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/error.hpp"
#include "measure/isolated/isolated_kernel.hpp"
#include "measure/time/rounds.hpp"
#include "simulated/device.hpp"
#include "simulated/truth.hpp"

namespace kjoule {
namespace {

struct Measured {
  SimulatedDevice device;
  Recording recording;
  KernelTable table;
  TimedIteration iteration;
  Plan plan;
  std::vector<Round> rounds;
  Stopped stopped = Stopped::precise;

  explicit Measured(const std::string& spec, RoundOptions options = {},
                    std::set<LaunchIndex> may_start_early = {}, WindowEdges edges = {})
      : device(parse_simulated_spec(spec)), recording(device.record()) {
    recording.edges = edges;
    table = kernel_table(recording);
    iteration = timed_iteration(recording, {});
    iteration.may_start_early = std::move(may_start_early);
    device.begin_round(-1);
    plan = make_plan(device, iteration);
    stopped = measure_rounds(
        device, device.clock(), iteration, plan, options, rounds, [](const Round&) {}, *silent_progress());
  }
  /// Measures again as a single pass that may change its inputs.
  void measure_once() {
    iteration.changes_inputs = true;
    plan = make_plan(device, iteration);
    iteration.restores = std::get<StampedPlan>(plan).restores;
    rounds.clear();
    measure_rounds(
        device, device.clock(), iteration, plan, {}, rounds, [](const Round&) {}, *silent_progress());
  }
  SumEstimate sum() const { return estimate(table, iteration, rounds); }
};

/// Programs of the seeds 1 to 12. They cover both kinds of devices, caches smaller and larger than the
/// program, drift and noise.
class OnSimulatedPrograms : public testing::TestWithParam<std::tuple<int, const char*>> {};

TEST_P(OnSimulatedPrograms, RecoversTheWholeAndEachKernel) {
  const auto [seed, edges] = GetParam();
  const Measured measured("seed=" + std::to_string(seed) + ",edges=" + edges);
  const SumEstimate sum = measured.sum();
  EXPECT_NEAR(sum.sum_s.value / sum.whole_s.value, 1, 0.01);
  const Truth truth = truth_of(measured.device.program());
  const std::vector<double> kernels = truth.kernel_s(measured.table);
  double apart = 0;
  for (size_t k = 0; k < kernels.size(); ++k)
    apart += std::abs(sum.kernel_s[k].value / sum.whole_s.value - kernels[k] / truth.whole_s);
  EXPECT_LT(apart, 0.02) << "share-weighted, over all kernels";
}

INSTANTIATE_TEST_SUITE_P(Seeds, OnSimulatedPrograms,
                         testing::Combine(testing::Range(1, 13), testing::Values("draining", "clean")));

/// Returns by how much the times of all kernels differ from the true ones together, s.
double apart_s(const SumEstimate& sum, const std::vector<double>& kernel_s) {
  double apart = 0;
  for (size_t k = 0; k < kernel_s.size(); ++k) apart += std::abs(sum.kernel_s[k].value - kernel_s[k]);
  return apart;
}

/// Windows of 400 launches of which 100 are measured, and which are no iteration, in programs of the seeds 1
/// to 12.
class OnSimulatedWindows : public testing::TestWithParam<int> {};

TEST_P(OnSimulatedWindows, RecoversTheWholeAndEachKernelBetweenTheEdges) {
  const WindowEdges edges{160, 140};
  const Measured measured("launches=400,noise=0.002,drift=0,seed=" + std::to_string(GetParam()), {}, {},
                          edges);
  EXPECT_EQ(std::get<StampedPlan>(measured.plan).lead_iterations, 0);
  const SumEstimate sum = measured.sum();
  const Truth truth = truth_of(measured.device.program());
  double whole_s = 0;
  for (size_t launch = 160; launch < 260; ++launch) whole_s += truth.launch_s[launch];
  EXPECT_NEAR(sum.whole_s.value / whole_s, 1, 0.005);
  EXPECT_NEAR(sum.sum_s.value / sum.whole_s.value, 1, 0.01);
  EXPECT_EQ(sum.launch_s[159], 0);
  EXPECT_EQ(sum.launch_s[260], 0);
  EXPECT_LT(apart_s(sum, truth.kernel_s(measured.table)) / whole_s, 0.03)
      << "share-weighted, over all kernels";
}

INSTANTIATE_TEST_SUITE_P(Seeds, OnSimulatedWindows, testing::Range(1, 13));

/// Single passes of 4 and 60 launches that take other times on their own results, in programs of the seeds 1
/// to 6.
class OnSimulatedPasses : public testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(OnSimulatedPasses, RecoversTheWholeAndEachKernelFromRestoredMemory) {
  const auto [seed, launches] = GetParam();
  Measured measured(fmt::format("launches={},noise=0.002,drift=0,converged=6,seed={}", launches, seed));
  measured.measure_once();
  EXPECT_TRUE(std::get<StampedPlan>(measured.plan).restores);
  const SumEstimate sum = measured.sum();
  const Truth truth = truth_of(measured.device.program());
  EXPECT_NEAR(sum.whole_s.value / truth.whole_s, 1, 0.01);
  EXPECT_NEAR(sum.sum_s.value / sum.whole_s.value, 1, 0.01);
  EXPECT_EQ(sum.launch_s.size(), truth.launch_s.size());
  EXPECT_LT(apart_s(sum, truth.kernel_s(measured.table)) / truth.whole_s, 0.03)
      << "share-weighted, over all kernels";
}

INSTANTIATE_TEST_SUITE_P(Seeds, OnSimulatedPasses,
                         testing::Combine(testing::Range(1, 7), testing::Values(4, 60)));

TEST(StampedPlan, RestoresNoMemoryIfTheTimesAreTheSame) {
  Measured measured("launches=20,noise=0.002,drift=0,seed=3");
  measured.measure_once();
  EXPECT_FALSE(std::get<StampedPlan>(measured.plan).restores);
}

/// The numbers of 95 % intervals of sums and of kernels that contain the true time.
struct Coverage {
  int programs = 0, sums = 0, kernels = 0, all_kernels = 0;

  void add(const std::string& spec) {
    const Measured measured(spec);
    const SumEstimate sum = measured.sum();
    ++programs;
    sums += std::abs(sum.sum_s.value - sum.whole_s.value) <= sum.sum_s.half_width;
    const Truth truth = truth_of(measured.device.program());
    const std::vector<double> known = truth.kernel_s(measured.table);
    for (size_t k = 0; k < known.size(); ++k, ++all_kernels) {
      // The speed of the device drifts, so only the kernels' shares of the whole are known.
      const double apart = sum.kernel_s[k].value / sum.whole_s.value - known[k] / truth.whole_s;
      kernels += std::abs(apart) <= sum.kernel_s[k].half_width / sum.whole_s.value;
    }
  }
};

TEST(StampedEstimate, ItsIntervalsHoldTheTruthInNineOfTenPrograms) {
  Coverage coverage;
  for (int seed = 101; seed < 121; ++seed) coverage.add("launches=60,seed=" + std::to_string(seed));
  EXPECT_GE(coverage.sums, 17);
  EXPECT_GE(coverage.kernels, 0.9 * coverage.all_kernels);
}

TEST(ClockedEstimate, ItsIntervalsHoldTheTruthOnAMachineWhoseSpeedDrifts) {
  Coverage coverage;
  for (int seed = 101; seed < 141; ++seed) coverage.add("edges=clean,drift=0.9,seed=" + std::to_string(seed));
  EXPECT_GE(coverage.sums, 0.9 * coverage.programs);
  EXPECT_GE(coverage.kernels, 0.92 * coverage.all_kernels);
}

TEST(ClockedEstimate, IntervalsOfKernelsHoldTheTruthInHeavyTailedNoise) {
  Coverage coverage;
  for (int seed = 101; seed < 181; ++seed)
    coverage.add("edges=clean,drift=0,noise=0.1,launches=60,seed=" + std::to_string(seed));
  EXPECT_GE(coverage.sums, 0.9 * coverage.programs);
  EXPECT_GE(coverage.kernels, 0.93 * coverage.all_kernels);
}

/// A device that changes StampedWork tracks with more than three stamps before it replays them.
class AlteredDevice final : public Device {
 public:
  using Change = std::function<void(StampedWork&)>;
  AlteredDevice(Device& device, Change change) : device_(device), change_(std::move(change)) {}
  const DeviceInfo& info() const override { return device_.info(); }
  Recording record() override { return device_.record(); }
  Verification verify() override { return device_.verify(); }
  std::unique_ptr<Track> open(const TrackSpec& spec) override {
    const auto* stamped = std::get_if<StampedWork>(&spec);
    if (stamped == nullptr || stamped->stamped_after.size() <= 3) return device_.open(spec);
    StampedWork changed = *stamped;
    change_(changed);
    return device_.open(changed);
  }
  void begin_round(int round) override { device_.begin_round(round); }

 private:
  Device& device_;
  Change change_;
};

/// The estimate of a program whose graphs for launch times are changed, but not the graphs of the whole.
struct Altered {
  Measured original;
  std::vector<Round> rounds;

  Altered(const std::string& spec, const AlteredDevice::Change& change) : original(spec) {
    AlteredDevice altered(original.device, change);
    measure_rounds(
        altered, original.device.clock(), original.iteration, original.plan, {}, rounds, [](const Round&) {},
        *silent_progress());
  }
  SumEstimate sum() const { return estimate(original.table, original.iteration, rounds); }
};

/// Returns the first launch whose time is at least three half-widths of the sum.
LaunchIndex noticeable(const Measured& measured) {
  const SumEstimate sum = measured.sum();
  for (LaunchIndex i = 0; i < sum.launch_s.size(); ++i)
    if (sum.launch_s[i] >= 3 * sum.sum_s.half_width) return i;
  ADD_FAILURE() << "no launch is worth three half-widths";
  return 0;
}

TEST(StampedEstimate, ALaunchThatIsDoubledInTheSumsGraphsOnlyIsNoticed) {
  const std::string spec = "seed=3,launches=40";
  const LaunchIndex launch = noticeable(Measured(spec));
  const Altered altered(spec, [&](StampedWork& work) {
    for (size_t place = 0; place < work.launches.size(); ++place) {
      if (work.launches[place] != launch) continue;
      work.launches.insert(work.launches.begin() + static_cast<std::ptrdiff_t>(place), launch);
      for (uint32_t& after : work.stamped_after) after += after >= place;
      ++place;
    }
  });
  const SumEstimate sum = altered.sum();
  EXPECT_GT(sum.sum_s.value - sum.sum_s.half_width, sum.whole_s.value);
}

TEST(StampedEstimate, ALaunchThatIsLeftOutOfTheSumsGraphsOnlyIsNoticed) {
  const std::string spec = "seed=3,launches=40";
  const SumEstimate honest = Measured(spec).sum();
  const auto [shortest, longest] = std::ranges::minmax_element(honest.launch_s);
  ASSERT_GT(*longest - *shortest, 3 * honest.sum_s.half_width);
  const auto left_out = static_cast<LaunchIndex>(longest - honest.launch_s.begin());
  const auto instead = static_cast<LaunchIndex>(shortest - honest.launch_s.begin());  // so that stamps stay
  const Altered altered(spec,
                        [&](StampedWork& work) { std::ranges::replace(work.launches, left_out, instead); });
  const SumEstimate sum = altered.sum();
  EXPECT_LT(sum.sum_s.value + sum.sum_s.half_width, sum.whole_s.value);
}

TEST(StampedEstimate, StampsThatAreMovedByOneLaunchSpoilTheKernelsAndNotTheSum) {
  const Altered altered("seed=3,launches=40", [](StampedWork& work) {
    for (uint32_t& after : work.stamped_after) ++after;
  });
  const SumEstimate good = altered.original.sum();
  const SumEstimate moved = altered.sum();
  EXPECT_NEAR(moved.sum_s.value / moved.whole_s.value, 1, 0.01);
  size_t wrong = 0;
  for (size_t k = 0; k < good.kernel_s.size(); ++k)
    wrong += std::abs(moved.kernel_s[k].value - good.kernel_s[k].value) >
             3 * (moved.kernel_s[k].half_width + good.kernel_s[k].half_width);
  EXPECT_GT(wrong, good.kernel_s.size() / 2);
}

TEST(StampedEstimate, LaunchesThatBeginEarlyAreTimedTogetherAndDividedByShares) {
  const std::string spec = "seed=3,launches=40";
  const SumEstimate apart = Measured(spec).sum();
  const Measured together(spec, {}, {7, 8});
  std::vector<double> shares(40, 0.0);
  for (const LaunchIndex launch : {6, 7, 8}) shares[launch] = apart.launch_s[launch];
  const SumEstimate even = together.sum();
  const SumEstimate divided = estimate(together.table, together.iteration, together.rounds, shares);
  EXPECT_NEAR(even.launch_s[6], even.launch_s[7], 1e-9);
  EXPECT_NEAR(even.launch_s[6] + even.launch_s[7] + even.launch_s[8],
              apart.launch_s[6] + apart.launch_s[7] + apart.launch_s[8], 0.3e-6);
  for (const LaunchIndex launch : {6, 7, 8})
    EXPECT_NEAR(divided.launch_s[launch], apart.launch_s[launch], 0.3e-6) << launch;
  EXPECT_NEAR(divided.sum_s.value, even.sum_s.value, 1e-12);
}

TEST(StampedEstimate, AnIterationOfFewLaunchesIsRepeated) {
  const Measured measured("seed=3,launches=4,drift=0");
  EXPECT_GT(std::get<StampedPlan>(measured.plan).iterations, 5);
  const SumEstimate sum = measured.sum();
  EXPECT_NEAR(sum.sum_s.value / sum.whole_s.value, 1, 0.003);
  EXPECT_NEAR(sum.whole_s.value / truth_of(measured.device.program()).whole_s, 1, 0.02);
}

/// Sets the spread between replays of each distance that contains a launch to `seconds`.
void scatter(Measured& measured, LaunchIndex launch, double seconds) {
  for (Round& round : measured.rounds)
    for (StampedGraph& graph : std::get<StampedLaunches>(round.times).dense)
      for (size_t i = 0; i + 1 < graph.stamped_after.size(); ++i)
        for (uint32_t place = graph.stamped_after[i] + 1; place <= graph.stamped_after[i + 1]; ++place)
          if (place % measured.recording.launches.size() == launch) graph.spread_s[i] = seconds;
}

TEST(StampedEstimate, CopiesToTheHostThatScatterWidenTheIntervalOfTheSum) {
  Measured measured("seed=3,drift=0");
  constexpr LaunchIndex kCopy = 2;
  scatter(measured, kCopy, 2e-6);
  measured.iteration.engine_switches = {};
  const SumEstimate of_kernels = measured.sum();
  EXPECT_NEAR(of_kernels.instrument_half_width_s, 0.001 * of_kernels.whole_s.value, 1e-9);
  measured.iteration.engine_switches = {kCopy};
  const SumEstimate with_copy = measured.sum();
  EXPECT_NEAR(with_copy.instrument_half_width_s, 0.4 * 2e-6, 0.3e-6);
  EXPECT_GE(with_copy.sum_s.half_width, with_copy.instrument_half_width_s);
  scatter(measured, kCopy, 50e-6);  // as where the speed of the link changes
  EXPECT_NEAR(measured.sum().instrument_half_width_s, 0.4 * 3e-6, 0.1e-6);
}

TEST(StampedEstimate, TheUndisturbedWholeIsTheWholeOfAnHonestDeviceOnly) {
  const auto apart = [](const char* spec) {
    const Measured measured(spec);
    const StampedPlan& plan = std::get<StampedPlan>(measured.plan);
    return measured.sum().whole_s.value / plan.undisturbed_s - 1;
  };
  EXPECT_NEAR(apart("seed=3,drift=0"), 0, 0.005);
  EXPECT_NEAR(apart("seed=3,drift=0,distortion=0.1"), 0.1, 0.005);
}

TEST(Estimate, ItsIntervalNeverSeesHowFarTheSumIsFromTheWhole) {
  const Measured measured("seed=7");
  std::vector<Round> longer = measured.rounds;
  for (Round& round : longer) {
    auto& times = std::get<StampedLaunches>(round.times);
    for (std::vector<StampedGraph>* graphs : {&times.dense, &times.sparse})
      for (StampedGraph& graph : *graphs)
        for (double& seconds : graph.mean_s) seconds *= 3;
  }
  const SumEstimate sum = measured.sum();
  const SumEstimate off = estimate(measured.table, measured.iteration, longer);
  EXPECT_GT(off.sum_s.value - off.sum_s.half_width, 2 * off.whole_s.value);
  EXPECT_NEAR(off.sum_s.half_width / off.sum_s.value, sum.sum_s.half_width / sum.sum_s.value, 0.001);
}

TEST(MeasureRounds, SaysWhyItStopped) {
  EXPECT_EQ(Measured("seed=5", {0.02, 20}).stopped, Stopped::precise);
  const Measured hurried("seed=5,noise=0.3", {0.00001, 0.5});
  EXPECT_EQ(hurried.stopped, Stopped::time_limit);
  EXPECT_GE(hurried.rounds.size(), 2u);
}

TEST(MeasureRounds, GoesOnFromCompleteRounds) {
  const RoundOptions options{0.00001, 2};
  const Measured uninterrupted("seed=9", options);
  ASSERT_GT(uninterrupted.rounds.size(), 5u);
  std::vector<Round> rounds(uninterrupted.rounds.begin(), uninterrupted.rounds.begin() + 4);
  SimulatedDevice fresh(parse_simulated_spec("seed=9"));
  fresh.record();
  fresh.begin_round(-1);
  const Plan plan = make_plan(fresh, uninterrupted.iteration);
  fresh.clock().set_ns(rounds.back().end_ns);
  measure_rounds(
      fresh, fresh.clock(), uninterrupted.iteration, plan, options, rounds, [](const Round&) {},
      *silent_progress());
  ASSERT_EQ(rounds.size(), uninterrupted.rounds.size());
  for (size_t r = 0; r < rounds.size(); ++r)
    EXPECT_EQ(write_fields(rounds[r]), write_fields(uninterrupted.rounds[r])) << r;
}

TEST(MeasureRounds, StopsWhereMoreRoundsHardlyNarrowTheInterval) {
  const Measured measured("seed=5,noise=0.005", {1e-6, 1000});
  EXPECT_EQ(measured.stopped, Stopped::instrument);
  const SumEstimate sum = measured.sum();
  EXPECT_LE(sum.sum_s.half_width, 1.11 * sum.instrument_half_width_s);
  EXPECT_LT(measured.rounds.size(), 40U);
}

TEST(Estimate, NeedsTwoRounds) {
  Measured measured("seed=5", {0.5, 0.1});
  measured.rounds.resize(1);
  EXPECT_THROW(measured.sum(), Error);
}

TEST(Estimate, RefusesRoundsOfTwoInstruments) {
  Measured stamped("seed=5", {0.5, 0.1});
  const Measured clocked("seed=5,edges=clean", {0.5, 0.1});
  stamped.rounds.push_back(clocked.rounds.front());
  EXPECT_THROW(stamped.sum(), Error);
}

TEST(Round, SurvivesItsRow) {
  const Measured stamped("seed=5", {0.5, 0.1});
  const nlohmann::json row = write_fields(stamped.rounds.front());
  EXPECT_EQ(write_fields(read_fields<Round>(row, "round")), row);
  EXPECT_NEAR(stamped.sum().whole_clock_hz.value(), 1.755e9, 0.2 * 1.755e9);
  EXPECT_EQ(write_fields(read_fields<Plan>(write_fields(stamped.plan), "plan")), write_fields(stamped.plan));
  const Measured clocked("seed=5,edges=clean", {0.5, 0.1});
  const nlohmann::json other = write_fields(clocked.rounds.front());
  EXPECT_EQ(write_fields(read_fields<Round>(other, "round")), other);
  EXPECT_FALSE(clocked.sum().whole_clock_hz.has_value());
  EXPECT_EQ(write_fields(read_fields<Plan>(write_fields(clocked.plan), "plan")), write_fields(clocked.plan));
}

TEST(Round, RefusesARowWithoutItsFields) {
  EXPECT_THROW(read_fields<Round>({{"kind", "round"}, {"round", 1}}, "round"), Error);
}

TEST(Isolated, ALaunchRepeatedBackToBackIsNotTheLaunchInItsPlace) {
  for (const char* spec : {"seed=3,drift=0,noise=0", "seed=3,drift=0,noise=0,edges=clean"}) {
    Measured measured(spec);
    const IsolatedKernel isolated =
        measure_isolated(measured.device, measured.table, measured.iteration, 1, 0.001);
    EXPECT_TRUE(isolated.error.empty());
    EXPECT_GT(isolated.single_s, 0.3e-6);
    EXPECT_LT(isolated.begin_ns, isolated.end_ns);
    EXPECT_EQ(read_fields<IsolatedKernel>(write_fields(isolated), "isolated").single_s, isolated.single_s);
  }
}

}  // namespace
}  // namespace kjoule
