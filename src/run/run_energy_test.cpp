#include "run/run_energy.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "power/instant.hpp"

namespace kjoule {
namespace {

/// A counter of a GPU with constant power, which changes every 20 ms. Its readings take no time.
class TickingCounter final : public Meter {
 public:
  explicit TickingCounter(double watts)
      : Meter({.source = "ticking",
               .name = "gpu 0",
               .scope = Scope::gpu,
               .quantity = Quantity::energy_j,
               .tick_s = 0.02}),
        watts_(watts) {}

 private:
  std::vector<MeterValue> fetch() override {
    const Instant now = instant_now();
    const auto ticks = static_cast<double>(now.steady_ns / 20'000'000);
    return {{now.steady_ns, now.unix_ns, watts_ * 0.02 * ticks, now.steady_ns}};
  }
  double watts_;
};

/// A counter without readings.
class SilentCounter final : public Meter {
 public:
  SilentCounter() : Meter({.source = "silent", .quantity = Quantity::energy_j, .tick_s = 0.02}) {}

 private:
  std::vector<MeterValue> fetch() override { return {}; }
};

RunEnergyMeter meter_of_two() {
  std::map<std::string, std::unique_ptr<Meter>> counters;
  counters["GPU-a"] = std::make_unique<TickingCounter>(100);
  counters["GPU-b"] = std::make_unique<TickingCounter>(200);
  counters["GPU-c"] = std::make_unique<SilentCounter>();
  return RunEnergyMeter(std::move(counters));
}

/// Returns the log of a process with four devices, with one operation on each of the given devices.
RunLog log_of(std::initializer_list<uint16_t> devices) {
  RunLog log;
  log.devices = {{0, "GPU-a"}, {1, "GPU-b"}, {2, "GPU-c"}, {3, "GPU-d"}};
  for (const uint16_t device : devices) log.operations.push_back({.device = device});
  return log;
}

TEST(RunEnergyMeter, ReadsTheGpuOfTheRunToWithinItsError) {
  RunEnergyMeter meter = meter_of_two();
  std::this_thread::sleep_for(std::chrono::milliseconds(2010));
  meter.stop();
  const RunEnergy energy = meter.energy_of(log_of({1, 1}));
  EXPECT_EQ(energy.missing, "");
  EXPECT_EQ(energy.gpu, "GPU-b");
  EXPECT_EQ(energy.meter, "ticking");
  EXPECT_GE(energy.seconds(), 2.0);
  EXPECT_GT(energy.half_width_joules, 0);
  EXPECT_NEAR(energy.joules, 200 * energy.seconds(), energy.half_width_joules * 1.01);
  EXPECT_NE(
      meter.energy_of(log_of({0, 1})).missing.find("used 2 GPUs, but the energy of only one is reported"),
      std::string::npos);
  EXPECT_NE(meter.energy_of(log_of({})).missing.find("ran no work"), std::string::npos);
  EXPECT_NE(meter.energy_of(log_of({2})).missing.find("does not change"), std::string::npos);
  EXPECT_NE(meter.energy_of(log_of({3})).missing.find("does not find the GPU GPU-d"), std::string::npos);
  EXPECT_NE(meter.energy_of(log_of({4})).missing.find("UUID"), std::string::npos);
}

TEST(RunEnergyMeter, AShortRunHasNoEnergy) {
  RunEnergyMeter meter = meter_of_two();
  meter.stop();
  const RunEnergy energy = meter.energy_of(log_of({1}));
  EXPECT_EQ(energy.missing, "the run took less than 2 s");
  EXPECT_EQ(energy.joules, 0);
}

}  // namespace
}  // namespace kjoule
