#include "measure/sensor/sensor_probe.hpp"

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

// Only few rates are tested, because a probe takes 20 s with sanitizers. tests/cli/test_probe.py tests more.
TEST(SensorProbe, FindsRatesWithinTheirIntervals) {
  for (const double true_hz : {1031.9, 1255.7, 1479.5}) {
    const SensorProbe probe = probed(fmt::format("seed=2,sensor_rate={}", true_hz), {kCounter, kSamples});
    ASSERT_TRUE(probe.sensor_hz) << true_hz;
    EXPECT_LE(std::abs(probe.sensor_hz->value - true_hz), probe.sensor_hz->half_width) << true_hz;
    EXPECT_LT(probe.sensor_hz->half_width, 2) << true_hz;
  }
}

TEST(SensorProbe, FindsARateWithACounterThatChangesEvery100Ms) {
  const SensorProbe probe = probed("seed=3,sensor_rate=904", {kCounter});
  EXPECT_NEAR(probe.reading_s, 0.1, 1e-3);
  ASSERT_TRUE(probe.sensor_hz);
  EXPECT_NEAR(probe.sensor_hz->value, 904, 1);
}

TEST(SensorProbe, FindsNoRateOfASensorThatIntegrates) {
  const SensorProbe probe = probed("seed=1,sensor_rate=0", {kCounter, kSamples});
  EXPECT_FALSE(probe.sensor_hz) << probe.sensor_hz->value;
  EXPECT_EQ(probe.missing, "no sampling rate between 900 and 1600 Hz was found");
  EXPECT_GT(probe.mean_w, 0);
}

TEST(SensorProbe, DoesNotTakeARateBesideTheRangeForOneWithin) {
  for (const double true_hz : {850.0, 1650.0})
    EXPECT_THROW(probed(fmt::format("seed=3,sensor_rate={}", true_hz), {kSamples}), Error) << true_hz;
}

/// A meter of a device whose power changes randomly, because it also does other work.
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
