#include "measure/sensor_probe.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/error.hpp"
#include "simulated/device.hpp"
#include "simulated/meter.hpp"

namespace kjoule {
namespace {

/// Probes the simulated device with these meters.
SensorProbe probed(const std::string& spec, const std::vector<SimulatedMeterKind>& kinds) {
  SimulatedDevice device(parse_simulated_spec(spec));
  const auto launches = static_cast<LaunchIndex>(device.record().launches.size());
  std::vector<std::unique_ptr<Meter>> meters;
  for (const SimulatedMeterKind kind : kinds) meters.push_back(make_simulated_meter(device, kind));
  return probe_sensor(device, launches, meters, *silent_progress());
}

constexpr auto kCounter = SimulatedMeterKind::energy_counter;
constexpr auto kSamples = SimulatedMeterKind::power_samples;

TEST(SensorProbe, FindsRatesWithinTheirIntervals) {
  int missed = 0;
  for (int seed = 1; seed <= 8; ++seed) {
    const double true_hz = 910 + 37.3 * (seed * 7 % 19);
    const SensorProbe probe =
        probed(fmt::format("seed={},sensor_rate={}", seed, true_hz), {kCounter, kSamples});
    ASSERT_TRUE(probe.sensor_hz) << seed << " " << true_hz;
    EXPECT_NEAR(probe.sensor_hz->value, true_hz, 1) << seed;
    EXPECT_LT(probe.sensor_hz->half_width, 2) << seed;
    if (std::abs(probe.sensor_hz->value - true_hz) > probe.sensor_hz->half_width) ++missed;
  }
  EXPECT_LE(missed, 2) << "95 % intervals of 8 rates miss more than two with a probability of 0.6 %";
}

TEST(SensorProbe, FindsARateWithACounterThatChangesEvery100Ms) {
  for (const double true_hz : {904.0, 1233.0, 1595.0}) {
    const SensorProbe probe = probed(fmt::format("seed=3,sensor_rate={}", true_hz), {kCounter});
    EXPECT_NEAR(probe.reading_s, 0.1, 1e-3);
    ASSERT_TRUE(probe.sensor_hz) << true_hz;
    EXPECT_NEAR(probe.sensor_hz->value, true_hz, 1);
  }
}

TEST(SensorProbe, FindsNoRateOfASensorThatIntegrates) {
  for (int seed = 1; seed <= 2; ++seed) {
    const SensorProbe probe = probed(fmt::format("seed={},sensor_rate=0", seed), {kCounter, kSamples});
    EXPECT_FALSE(probe.sensor_hz) << seed << " " << probe.sensor_hz->value;
    EXPECT_EQ(probe.missing, "no sampling rate between 900 and 1600 Hz was found");
    EXPECT_GT(probe.mean_w, 0);
  }
}

TEST(SensorProbe, DoesNotTakeARateBesideTheRangeForOneWithin) {
  for (const double true_hz : {850.0, 1650.0})
    EXPECT_THROW(probed(fmt::format("seed=3,sensor_rate={}", true_hz), {kSamples}), Error) << true_hz;
}

/// A meter of a device whose power changes at random, because it does other work, too.
class BusyBoardMeter final : public Meter {
 public:
  explicit BusyBoardMeter(std::unique_ptr<Meter> meter) : Meter(meter->facts()), meter_(std::move(meter)) {}

 private:
  std::vector<MeterValue> fetch() override {
    std::vector<MeterValue> values = meter_->read();
    for (MeterValue& value : values) value.value += other_w_(random_);
    return values;
  }
  std::unique_ptr<Meter> meter_;
  std::mt19937 random_{7};
  std::uniform_real_distribution<double> other_w_{0, 300};
};

TEST(SensorProbe, DoesNotTakeOtherWorkForABeat) {
  SimulatedDevice device(parse_simulated_spec("seed=2,sensor_rate=0"));
  const auto launches = static_cast<LaunchIndex>(device.record().launches.size());
  std::vector<std::unique_ptr<Meter>> meters;
  meters.push_back(std::make_unique<BusyBoardMeter>(make_simulated_meter(device, kSamples)));
  EXPECT_THROW(probe_sensor(device, launches, meters, *silent_progress()), Error);
}

TEST(SensorProbe, NeedsReadingsThatDiffer) {
  SimulatedDevice device(parse_simulated_spec("seed=2,meter=frozen"));
  const auto launches = static_cast<LaunchIndex>(device.record().launches.size());
  std::vector<std::unique_ptr<Meter>> meters;
  EXPECT_THROW(probe_sensor(device, launches, meters, *silent_progress()), Error) << "no meter";
  device.clock().advance_ns(10'000'000'000);
  meters.push_back(make_simulated_meter(device, kSamples));
  device.clock().advance_ns(4'000'000'000);
  meters.front()->read();
  EXPECT_THROW(probe_sensor(device, launches, meters, *silent_progress()), Error) << "a frozen one";
}

}  // namespace
}  // namespace kjoule
