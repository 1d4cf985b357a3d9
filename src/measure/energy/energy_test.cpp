#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "measure/energy/cache_choice.hpp"
#include "measure/energy/energy_estimate.hpp"
#include "measure/energy/energy_measurement.hpp"
#include "measure/time/rounds.hpp"
#include "simulated/device.hpp"
#include "simulated/energy_truth.hpp"
#include "simulated/meter.hpp"
#include "simulated/random.hpp"

namespace kjoule {
namespace {

constexpr int64_t ms = 1'000'000;

/// A counter of the energy of a constant power. Its facts state that it changes every 100 ms. Each change is
/// seen with a random delay.
class LateCounter final : public Meter {
 public:
  explicit LateCounter(double watts, int64_t tick_ms = 100)
      : Meter({.source = "late",
               .name = "late",
               .quantity = Quantity::energy_j,
               .tick_s = 0.1,
               .averaging_s = 0.1}),
        watts_(watts),
        tick_ms_(tick_ms) {}
  void pass(double seconds) {
    const int64_t until = now_ns_ + static_cast<int64_t>(seconds * 1e9);
    while (now_ns_ < until) {
      const int64_t asked_ns = now_ns_;
      now_ns_ += static_cast<int64_t>((3 + 4 * fraction(mix(7, polls_++))) * ms);
      poll(now_ns_ - 5 * ms, asked_ns);
    }
  }
  /// Makes a poll that other programs delay for `seconds`, before or after it has fetched the value.
  void hold_up(double seconds, bool has_fetched) {
    const int64_t asked_ns = now_ns_;
    now_ns_ += static_cast<int64_t>(seconds * 1e9);
    poll(has_fetched ? asked_ns : now_ns_, asked_ns);
  }
  void fall_back() { lost_j_ = readings_.back().value + lost_j_; }

 private:
  void poll(int64_t fetched_ns, int64_t asked_ns) {
    const double counted_s = 1e-3 * static_cast<double>(fetched_ns / (tick_ms_ * ms) * tick_ms_);
    readings_.push_back({now_ns_, now_ns_, watts_ * counted_s - lost_j_, asked_ns});
  }
  std::vector<MeterValue> fetch() override { return std::exchange(readings_, {}); }
  double watts_;
  int64_t tick_ms_;
  double lost_j_ = 0;
  int64_t now_ns_ = 40 * ms;
  uint64_t polls_ = 0;
  std::vector<MeterValue> readings_;
};

TEST(MeterRecord, FindsTheTicksOfACounterThatIsSeenLate) {
  LateCounter meter(500);
  MeterRecord record(meter);
  meter.pass(20);
  record.read();
  for (int64_t begin = 1000; begin < 19000; begin += 333)
    EXPECT_NEAR(record.mean_w(begin * ms, (begin + 400) * ms).value(), 500, 0.5) << begin;
}

TEST(MeterRecord, MeasuresTheSensorIntervalOfOtherBoards) {
  for (const int64_t tick_ms : {20, 50, 250}) {
    LateCounter meter(500, tick_ms);
    MeterRecord record(meter);
    meter.pass(20);
    record.read();
    for (int64_t begin = 6000; begin < 19000; begin += 333)
      EXPECT_NEAR(record.mean_w(begin * ms, (begin + 600) * ms).value(), 500, 1) << tick_ms << " " << begin;
  }
}

TEST(MeterRecord, IsNotMisledByPollsThatAreHeldUp) {
  LateCounter meter(500);
  MeterRecord record(meter);
  for (int i = 0; i < 60; ++i) {
    meter.pass(0.2 + 0.3 * fraction(mix(8, static_cast<uint64_t>(i))));
    meter.hold_up(0.01 + 0.12 * fraction(mix(9, static_cast<uint64_t>(i))), i % 2 == 0);
  }
  record.read();
  int told = 0;
  for (int64_t begin = 1000; begin < 19000; begin += 333)
    if (const auto watts = record.mean_w(begin * ms, (begin + 600) * ms)) {
      EXPECT_NEAR(*watts, 500, 2) << begin;
      ++told;
    }
  EXPECT_GT(told, 45);
}

TEST(MeterRecord, SaysNothingOfLessThanTwoTicks) {
  LateCounter meter(500);
  MeterRecord record(meter);
  EXPECT_FALSE(record.mean_w(0, 1000 * ms).has_value());
  meter.pass(3);
  record.read();
  EXPECT_FALSE(record.mean_w(1000 * ms, 1090 * ms).has_value());
  EXPECT_FALSE(record.mean_w(8000 * ms, 9000 * ms).has_value());
  EXPECT_TRUE(record.mean_w(1000 * ms, 1300 * ms).has_value());
}

TEST(MeterRecord, KnowsNothingAcrossAFallOfTheCounter) {
  LateCounter meter(500);
  MeterRecord record(meter);
  meter.pass(3);
  meter.fall_back();
  meter.pass(3);
  record.read();
  EXPECT_FALSE(record.mean_w(2000 * ms, 4000 * ms).has_value());
  EXPECT_NEAR(record.mean_w(1000 * ms, 2800 * ms).value(), 500, 1);
  EXPECT_NEAR(record.mean_w(3300 * ms, 5800 * ms).value(), 500, 1);
}

/// A meter whose facts state that its sensor samples the power at `sensor_rate_hz`.
class LookingMeter final : public Meter {
 public:
  LookingMeter(std::unique_ptr<Meter> meter, double sensor_rate_hz)
      : Meter(looking(meter->facts(), sensor_rate_hz)), meter_(std::move(meter)) {}
  std::optional<DeviceState> state() override { return meter_->state(); }

 private:
  static MeterFacts looking(MeterFacts facts, double sensor_rate_hz) {
    facts.sensor_rate = SensorRate{.hz = Interval{sensor_rate_hz, 0.015 * sensor_rate_hz}};
    return facts;
  }
  std::vector<MeterValue> fetch() override { return meter_->read(); }
  std::unique_ptr<Meter> meter_;
};

struct MeasuredProgram {
  SimulatedDevice device;
  KernelTable table;
  EnergyPlan plan;
  std::vector<EnergyBlock> blocks;
  Stopped stopped = Stopped::precise;

  /// If `looks` is given, the meter's sensor takes so many samples in each iteration.
  explicit MeasuredProgram(const std::string& spec, EnergyOptions options = {0.02, 30}, double looks = 0,
                           WindowEdges edges = {})
      : device(parse_simulated_spec(spec)) {
    Recording recording = device.record();
    recording.edges = edges;
    const TimedIteration iteration = timed_iteration(recording, {});
    table = kernel_table(recording);
    device.begin_round(-1);
    std::vector<Round> rounds;
    const Plan round_plan = make_plan(device, iteration);
    measure_rounds(
        device, device.clock(), iteration, round_plan, {}, rounds, [](const Round&) {}, *silent_progress());
    const SumEstimate times = estimate(table, iteration, rounds);
    auto meter = make_simulated_meter(device, SimulatedMeterKind::energy_counter);
    if (looks > 0) meter = std::make_unique<LookingMeter>(std::move(meter), looks / times.whole_s.value);
    plan = make_energy_plan(energy_groups(table, times, {}, options.time_limit_s, meter->facts()),
                            times.whole_s.value, meter->facts());
    set_edges(iteration, plan);
    choose_caches(device, plan);
    MeterRecord record(*meter);
    read_restoring(device, {&record, 1}, plan);
    stopped = measure_energy(
        device, {&record, 1}, plan, options, blocks, [](const EnergyBlock&) {}, *silent_progress());
  }
};

TEST(EnergyOfSimulatedPrograms, PausesThatKeepThemOutOfStepAreTakenOff) {
  for (const char* spec : {"seed=2,long_reuse=off,drift=0", "seed=5,long_reuse=off,drift=0"}) {
    const MeasuredProgram paused(spec, {0.02, 30}, 2), plain(spec);
    EXPECT_GT(paused.blocks.front().whole.pause_s, 0.01 * paused.blocks.front().whole.repeat_s);
    EXPECT_EQ(plain.blocks.front().whole.pause_s, 0);
    const EnergyTruth truth = energy_truth_of(paused.device.program());
    const auto energy = estimate_energy(paused.plan, paused.blocks, 0);
    ASSERT_TRUE(energy.has_value());
    EXPECT_NEAR(energy->whole_j.value / truth.whole_j, 1, 0.005) << spec;
    EXPECT_NEAR(energy->whole_w.value / truth.whole_w, 1, 0.005) << spec;
    EXPECT_NEAR(energy->sum_j.value / truth.whole_j, 1, 0.01) << spec;
  }
}

/// Returns the largest difference of a group's energy from its true energy, as a share of the whole.
double farthest_group(const MeasuredProgram& measured, const EnergyEstimate& energy,
                      const EnergyTruth& truth) {
  const std::vector<double> kernels = truth.kernel_j(measured.table);
  double farthest = 0;
  for (size_t g = 0; g < measured.plan.groups.size(); ++g) {
    double true_j = 0;
    for (const uint32_t kernel : measured.plan.groups[g].kernels) true_j += kernels[kernel];
    farthest = std::max(farthest, std::abs(energy.groups[g].joules.value - true_j) / truth.whole_j);
  }
  return farthest;
}

// Energies of wholes are always correct. Energies of sums and groups are wrong for a few programs whose times
// do not show the contents of caches; bench/simulated_energy counts these programs.
TEST(EnergyOfSimulatedPrograms, IsThatOfWholesAndNearlyAlwaysOfSumsAndGroups) {
  constexpr int kPrograms = 24, kMayMiss = 4;
  int missed = 0;
  for (int seed = 1; seed <= kPrograms; ++seed) {
    const MeasuredProgram measured("seed=" + std::to_string(seed) + ",long_reuse=off,drift=0");
    const EnergyTruth truth = energy_truth_of(measured.device.program());
    const auto energy = estimate_energy(measured.plan, measured.blocks, 0);
    ASSERT_TRUE(energy.has_value()) << seed;
    EXPECT_NEAR(energy->whole_j.value / truth.whole_j, 1, 0.01) << seed;
    EXPECT_NEAR(energy->whole_w.value / truth.whole_w, 1, 0.01) << seed;
    const double sum_off = std::abs(energy->sum_j.value / energy->whole_j.value - 1);
    if (sum_off > 0.005 || farthest_group(measured, *energy, truth) > 0.005) ++missed;
  }
  EXPECT_LE(missed, kMayMiss);
}

// A few programs are excepted: two states of their caches differ in energy, but not in time.
TEST(EnergyOfSimulatedPrograms, IsThatOfTheMeasuredLaunchesOfAWindow) {
  constexpr WindowEdges kEdges{64, 64};
  constexpr int kPrograms = 8, kMayMiss = 1;
  int missed = 0, inside = 0;
  for (int seed = 1; seed <= kPrograms; ++seed) {
    const MeasuredProgram measured(fmt::format("seed={},launches=1200,long_reuse=off,drift=0", seed),
                                   {0.02, 30}, 0, kEdges);
    const std::vector<double> launch_j = energy_truth_of(measured.device.program()).launch_j;
    const double window_j =
        std::accumulate(launch_j.begin() + kEdges.lead, launch_j.end() - kEdges.tail, 0.0);
    const auto energy = estimate_energy(measured.plan, measured.blocks, 0);
    ASSERT_TRUE(energy.has_value()) << seed;
    const double off = std::abs(energy->whole_j.value - window_j);
    if (off > 0.01 * window_j || std::abs(energy->sum_j.value / energy->whole_j.value - 1) > 0.015) ++missed;
    if (off <= energy->whole_j.half_width) ++inside;
  }
  EXPECT_LE(missed, kMayMiss);
  EXPECT_GE(inside, kPrograms - kMayMiss);
}

TEST(ReadRestoring, RefusesAWindowThatIsShorterThanWhatPrecedesIt) {
  try {
    const MeasuredProgram measured("seed=2,launches=200", {0.02, 30}, 0, {150, 10});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("longer than the window's"), std::string::npos) << error.what();
  }
}

TEST(EnergyGroups, HoldEveryKernelOnceAndTheLargestAlone) {
  const MeasuredProgram measured("seed=3");
  std::set<uint32_t> seen;
  for (const EnergyGroup& group : measured.plan.groups)
    for (const uint32_t kernel : group.kernels) EXPECT_TRUE(seen.insert(kernel).second) << kernel;
  EXPECT_EQ(seen.size(), measured.table.kernels.size());
  EXPECT_EQ(measured.plan.groups.front().kernels.size(), 1u);
}

TEST(MeasureEnergy, ReadsAllLaunchesTogetherWhereThereAreSeveralGroups) {
  const MeasuredProgram measured("seed=3");
  const auto all = static_cast<int>(measured.plan.groups.size());
  ASSERT_GT(all, 1);
  const auto longest_s = [&](bool of_all) {
    double longest = 0;
    for (const EnergyBlock& block : measured.blocks)
      if ((block.group == all) == of_all)
        longest = std::max(longest, block.with.front().repeat_s - block.without.front().repeat_s);
    return longest;
  };
  EXPECT_GT(longest_s(true), 1.2 * longest_s(false));
}

TEST(EnergyGroups, AreFewerWhereTimeIsShort) {
  const MeasuredProgram hurried("seed=3", {0.02, 7}), unhurried("seed=3", {0.02, 40});
  EXPECT_LT(hurried.plan.groups.size(), unhurried.plan.groups.size());
  size_t kernels = 0;
  for (const EnergyGroup& group : hurried.plan.groups) kernels += group.kernels.size();
  EXPECT_EQ(kernels, hurried.table.kernels.size());
}

TEST(EstimateEnergy, IsNothingWhereTheMeterToldNothingOfAGroup) {
  MeasuredProgram measured("seed=2");
  for (EnergyBlock& block : measured.blocks)
    if (block.group == 1) block.without.front().mean_w.front().reset();
  EXPECT_FALSE(estimate_energy(measured.plan, measured.blocks, 0).has_value());
}

TEST(EstimateEnergy, NeverTakesTheSumFromTheWhole) {
  MeasuredProgram measured("seed=2");
  const double sum = estimate_energy(measured.plan, measured.blocks, 0)->sum_j.value;
  for (EnergyBlock& block : measured.blocks) {
    block.whole.mean_w.front().value() *= 1.3;
  }
  const auto off = estimate_energy(measured.plan, measured.blocks, 0);
  EXPECT_NEAR(off->sum_j.value / sum, 1, 0.01);
  EXPECT_LT(off->sum_j.value + off->sum_j.half_width, off->whole_j.value);
}

/// Lengthens each repeat of a reading by `more_s` seconds, in which the device consumes `watts`.
void lengthen(SteadyReading& reading, double more_s, double watts) {
  double& mean_w = reading.mean_w.front().value();
  mean_w = (mean_w * reading.repeat_s + watts * more_s) / (reading.repeat_s + more_s);
  reading.repeat_s += more_s;
}

// H200s behave like this if small launches follow each other more slowly among copies.
TEST(EstimateEnergy, TakesOffWhatLaunchesDrawWhileTheyWait) {
  const MeasuredProgram measured("seed=2,drift=0", {0, 60});
  const auto before = estimate_energy(measured.plan, measured.blocks, 0);
  const double watts = measured.plan.paused.front().mean_w.front().value();
  std::vector<EnergyBlock> blocks = measured.blocks;
  for (EnergyBlock& block : blocks)
    for (SteadyReading& reading : block.with)
      lengthen(reading, 0.03 * block.whole.repeat_s / measured.plan.iterations, watts);
  const auto after = estimate_energy(measured.plan, blocks, 0);
  ASSERT_TRUE(before && after);
  EXPECT_GT(after->added_s / before->added_s, 1.05);
  EXPECT_NEAR(after->sum_j.value / before->sum_j.value, 1, 0.003);
  EXPECT_GT(after->sum_j.half_width, 2 * before->sum_j.half_width);
}

TEST(MeasureEnergy, RefusesAPlanWithoutKernels) {
  SimulatedDevice device(parse_simulated_spec("seed=2"));
  device.record();
  std::vector<EnergyBlock> blocks;
  EXPECT_THROW(measure_energy(
                   device, {}, EnergyPlan{}, {}, blocks, [](const EnergyBlock&) {}, *silent_progress()),
               Error);
}

TEST(MakeEnergyPlan, ReadsSlowMetersLonger) {
  const MeterFacts counter{.quantity = Quantity::energy_j, .tick_s = 0.1, .averaging_s = 0.1};
  const MeterFacts wall{.tick_s = 1, .averaging_s = 1};
  EXPECT_LT(make_energy_plan({}, 0.001, counter).window.span_s, 0.5);
  EXPECT_GE(make_energy_plan({}, 0.001, wall).window.span_s, 3);
  EXPECT_GE(make_energy_plan({}, 0.001, wall).window.settle_s, 1);
}

TEST(EnergyBlock, ComesBackFromItsRow) {
  const MeasuredProgram measured("seed=2");
  EXPECT_EQ(write_fields(read_fields<EnergyPlan>(write_fields(measured.plan), "plan")),
            write_fields(measured.plan));
  for (const EnergyBlock& block : measured.blocks)
    EXPECT_EQ(write_fields(read_fields<EnergyBlock>(write_fields(block), "block")), write_fields(block));
  EXPECT_THROW(read_fields<EnergyBlock>({{"kind", "energy_block"}, {"block", 1}}, "block"), Error);
  EXPECT_THROW(read_fields<EnergyPlan>({{"kind", "energy_plan"}, {"iterations", 2}}, "plan"), Error);
}

}  // namespace
}  // namespace kjoule
