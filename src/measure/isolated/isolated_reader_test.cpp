#include "measure/isolated/isolated_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "measure/meters/meter_record.hpp"
#include "simulated/device.hpp"
#include "simulated/meter.hpp"
#include "simulated/truth.hpp"

namespace kjoule {
namespace {

/// A simulated program and its energy counter.
struct Program {
  explicit Program(const std::string& spec) : device(parse_simulated_spec(spec)) {
    meters.push_back(make_simulated_meter(device, SimulatedMeterKind::energy_counter));
    records = records_under_load(meters);
    launches = static_cast<LaunchIndex>(device.record().launches.size());
    device.begin_round(0);
  }
  IsolatedReader reader(std::vector<LaunchIndex> filler = {}) {
    return {device, launches, std::move(filler), records, {0.05, 0.35}};
  }
  IsolatedReading read(LaunchIndex launch, std::vector<LaunchIndex> filler = {}) {
    IsolatedReader one = reader(std::move(filler));
    const IsolatedReading reading = one.read("forward", {launch}, 1e-3);
    slow = one.is_slow(reading);
    return reading;
  }
  /// Returns the launches that consume least and most power in isolation.
  std::pair<LaunchIndex, LaunchIndex> lightest_and_heaviest() {
    std::vector<double> watts;
    IsolatedReader all = reader();
    for (LaunchIndex launch = 0; launch < launches; ++launch)
      watts.push_back(all.read("forward", {launch}, 1e-3).mean_w.value());
    const auto [least, most] = std::ranges::minmax_element(watts);
    return {static_cast<LaunchIndex>(least - watts.begin()), static_cast<LaunchIndex>(most - watts.begin())};
  }

  SimulatedDevice device;
  std::vector<std::unique_ptr<Meter>> meters;
  std::vector<MeterRecord> records;
  LaunchIndex launches = 0;
  bool slow = false;
};

TEST(IsolatedReader, ReadsTimePowerAndClockOfOneReading) {
  Program program("seed=4,drift=0,noise=0,power_limit=1000");
  const IsolatedReading reading = program.read(0);
  EXPECT_GT(reading.each_s.value, 0);
  EXPECT_LT(reading.each_s.half_width, 0.05 * reading.each_s.value);
  EXPECT_GT(reading.mean_w.value(), 50);
  EXPECT_GE(reading.read_s, 0.35);
  EXPECT_FALSE(reading.with_filler);
  EXPECT_FALSE(program.slow);
}

TEST(IsolatedReader, AFillerHoldsTheClock) {
  const std::string chip = "seed=4,drift=0,noise=0";
  Program free(chip + ",power_limit=1000");
  const auto [light, heavy] = free.lightest_and_heaviest();
  const IsolatedReading truth = free.read(heavy);
  Program limited(chip + ",power_limit=450");
  const IsolatedReading alone = limited.read(heavy);
  EXPECT_TRUE(limited.slow);
  EXPECT_FALSE(alone.with_filler);
  EXPECT_LT(*alone.mean_w, 0.8 * *truth.mean_w);
  Program filled(chip + ",power_limit=450");
  const IsolatedReading mixed = filled.read(heavy, {light});
  EXPECT_TRUE(mixed.with_filler);
  EXPECT_FALSE(filled.slow);
  EXPECT_NEAR(mixed.each_s.value / truth.each_s.value, 1, 0.01);
  EXPECT_NEAR(*mixed.mean_w / *truth.mean_w, 1, 0.02);
}

TEST(IsolatedReader, TheNextOfAKindThatNeededAFillerIsReadWithItAtOnce) {
  const std::string chip = "seed=4,drift=0,noise=0";
  Program free(chip + ",power_limit=1000");
  const auto [light, heavy] = free.lightest_and_heaviest();
  Program limited(chip + ",power_limit=450");
  IsolatedReader reader = limited.reader({light});
  const auto taken_s = [&](const std::string& kind, LaunchIndex launch) {
    const int64_t begin_ns = limited.device.clock().now_ns();
    reader.read(kind, {launch}, 1e-3);
    return static_cast<double>(limited.device.clock().now_ns() - begin_ns) * 1e-9;
  };
  taken_s("forward", heavy);
  const double unknown_s = taken_s("backward", heavy), known_s = taken_s("forward", heavy);
  EXPECT_LT(known_s, 0.75 * unknown_s);
  EXPECT_TRUE(reader.read("forward", {heavy}, 1e-3).with_filler);
  EXPECT_FALSE(reader.read("forward", {light}, 1e-3).with_filler);
}

}  // namespace
}  // namespace kjoule
