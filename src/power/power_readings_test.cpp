#include "power/power_readings.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace kjoule {
namespace {

constexpr int64_t kMs = 1'000'000;

MeterFacts counter() {
  return {.quantity = Quantity::energy_j, .tick_s = 0.1, .averaging_s = 0.1};
}

/// Returns the values of an energy counter at 500 W that changes every `tick_ns` and is polled every 3 to 7
/// ms. At each time in `held`, a poll is delayed by three quarters of `tick_ns`.
std::vector<MeterValue> polled(int64_t tick_ns, std::vector<int64_t> held = {}) {
  std::mt19937 random(3);
  std::uniform_int_distribution<int64_t> poll_ns(3 * kMs, 7 * kMs);
  std::vector<MeterValue> values;
  for (int64_t now = 5'000 * kMs; now < 35'000 * kMs; now += poll_ns(random)) {
    if (!held.empty() && now >= held.front()) {
      now += tick_ns * 3 / 4;
      held.erase(held.begin());
    }
    values.push_back({now, now, 500e-9 * static_cast<double>(now / tick_ns * tick_ns)});
  }
  return values;
}

TEST(PowerReadings, HaveThePeriodOfTheCounterAndNotThatOfItsFacts) {
  for (const int64_t tick_ns : {100 * kMs, 20 * kMs, 99'800'000L}) {
    const auto readings = power_readings(counter(), polled(tick_ns));
    EXPECT_NEAR(static_cast<double>(readings.size()), 30e9 / static_cast<double>(tick_ns), 2);
    for (const PowerReading& reading : readings) {
      EXPECT_NEAR(reading.watts, 500, 0.5);
      EXPECT_NEAR(static_cast<double>(reading.end_ns - reading.begin_ns), static_cast<double>(tick_ns), 5e4);
      EXPECT_NEAR(std::remainder(static_cast<double>(reading.end_ns), static_cast<double>(tick_ns)), 3e6,
                  3e6);
    }
  }
}

TEST(PowerReadings, AreNotMisledByPollsThatAreHeldUp) {
  const auto readings =
      power_readings(counter(), polled(100 * kMs, {9'020 * kMs, 15'060 * kMs, 15'290 * kMs}));
  EXPECT_GT(readings.size(), 290u);
  for (const PowerReading& reading : readings) EXPECT_NEAR(reading.watts, 500, 0.5);
}

TEST(PowerReadings, SkipTheFallOfACounter) {
  std::vector<MeterValue> values = polled(100 * kMs);
  for (size_t v = values.size() / 2; v < values.size(); ++v) values[v].value -= 10'000;
  const auto readings = power_readings(counter(), values);
  EXPECT_GT(readings.size(), 290u);
  for (const PowerReading& reading : readings) EXPECT_NEAR(reading.watts, 500, 0.5);
}

TEST(PowerReadings, OfAPowerMeterEndAtItsTimes) {
  const MeterFacts facts{.quantity = Quantity::power_w, .averaging_s = 0.02};
  const auto readings = power_readings(facts, {{100 * kMs, 0, 300}, {120 * kMs, 0, 310}});
  ASSERT_EQ(readings.size(), 2u);
  EXPECT_EQ(readings[1].begin_ns, 100 * kMs);
  EXPECT_EQ(readings[1].end_ns, 120 * kMs);
  EXPECT_EQ(readings[1].watts, 310);
}

}  // namespace
}  // namespace kjoule
