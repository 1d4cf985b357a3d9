#include "logged/log_energy.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "power/timestamp.hpp"

namespace kjoule {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kStart = 1'770'000'000 * kSecond;

std::string at(double s) {
  return local_timestamp(kStart + std::llround(s * 1e9));
}

TimedBlock block(double from_s, double to_s, int64_t runs, double each_s) {
  return {at(from_s), at(to_s), runs, each_s * static_cast<double>(runs)};
}

TimedKernel kernel(const std::string& name, int64_t count, double each_s, std::optional<TimedBlock> block) {
  TimedKernel timed;
  timed.kernel.name = name;
  timed.kernel.count = count;
  timed.kernel.single_us = 1e6 * each_s;
  timed.block = std::move(block);
  return timed;
}

/// The readings of a meter at 10 Hz over 100 s: 100 W at first, 300 W from 20 s on, and 200 W from 60 s on.
class InALog : public testing::Test {
 protected:
  InALog() {
    for (int i = 0; i <= 1000; ++i) {
      const double watts = i < 200 ? 100 : i < 600 ? 300 : 200;
      series_.samples.push_back({kStart + i * kSecond / 10, watts + (i % 2 == 0 ? 0.01 : -0.01)});
    }
    source_.path = "power.csv";
  }

  LogEnergies energies() const {
    const std::vector<PowerCurve> curves = curves_of({&series_}, source_);
    return LogIntegration(timings_, curves, source_).energies();
  }

  PowerSeries series_{"pm1", {}};
  EnergySource source_;
  Timings timings_;
};

TEST_F(InALog, ABlockHasItsEnergy) {
  timings_.kernels = {kernel("first", 2, 0.01, block(25, 55, 3000, 0.01)),
                      kernel("second", 1, 0.01, block(65, 95, 3000, 0.01))};
  const LogEnergies found = energies();
  EXPECT_NEAR(found.kernels[0].each_j()->value, 3, 0.001);
  EXPECT_NEAR(found.kernels[1].each_j()->value, 2, 0.001);
  EXPECT_TRUE(found.idling.empty());
}

TEST_F(InALog, KernelsOfAGroupShareItsEnergyByTheirTimes) {
  TimedKernel one = kernel("one", 3, 0.001, {}), other = kernel("other", 1, 0.001, {});
  one.kernel.group = other.kernel.group = "small";
  timings_.kernels = {one, other};
  TimedGroup group{"small"};
  group.together = block(25, 55, 7500, 0.004);
  timings_.groups = {group};
  const LogEnergies found = energies();
  EXPECT_NEAR(found.kernels[0].each_j()->value * 3 + found.kernels[1].each_j()->value, 300 * 0.004, 0.001);
  EXPECT_NEAR(found.kernels[0].each_j()->value, found.kernels[1].each_j()->value, 1e-9);
}

TEST_F(InALog, WorkThatRanInAPartOfItsWindowIsNamed) {
  timings_.full = block(25, 55, 300, 0.05);
  timings_.kernels = {kernel("rare", 1, 0.01, block(65, 95, 1500, 0.01))};
  const LogEnergies found = energies();
  ASSERT_EQ(found.idling.size(), 2U);
  EXPECT_EQ(found.idling[0].what, "the whole");
  EXPECT_EQ(found.idling[1].kernel, "rare");
  EXPECT_NEAR(found.idling[1].ran_share, 0.5, 0.001);
}

TEST_F(InALog, TimestampsThatContradictTheRunsHaveNoEnergy) {
  timings_.kernels = {kernel("long", 1, 0.01, block(25, 55, 6000, 0.01))};
  const LogEnergies found = energies();
  EXPECT_FALSE(found.kernels[0].each_j());
  EXPECT_EQ(found.kernels[0].timed.energy.missing,
            "its timestamps are 30.000 s apart, but its runs took 60.000 s");
}

TEST_F(InALog, AnotherTimeZoneIsRefusedWithTheOffsetThatWouldFit) {
  timings_.kernels = {kernel("k", 1, 0.01, block(25 + 7200, 55 + 7200, 3000, 0.01))};
  try {
    energies();
    FAIL() << "the block is not in the log";
  } catch (const Error& error) {
    EXPECT_EQ(error.remedy(), "if log and timing are in different time zones, give --offset 7200");
  }
  source_.offset_s = 7200;
  EXPECT_NEAR(energies().kernels[0].each_j()->value, 3, 0.001);
}

}  // namespace
}  // namespace kjoule
