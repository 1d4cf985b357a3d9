#include "power/integrate.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace kjoule {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kStart = 1'770'000'000 * kSecond;

int64_t at(double s) {
  return kStart + std::llround(s * 1e9);
}

PowerWindow window(double from_s, double to_s) {
  return {at(from_s), at(to_s)};
}

PowerSeries sampled(const std::function<double(double)>& watts, double length_s, double interval_s) {
  PowerSeries series{"pm1", {}};
  for (int i = 0; i * interval_s <= length_s + 1e-9; ++i)
    series.samples.push_back({at(i * interval_s), watts(i * interval_s)});
  return series;
}

/// Returns readings that alternate around a power, because equal readings (a frozen meter) have no energy.
double ripple(double t, double interval_s) {
  return std::lround(t / interval_s) % 2 == 0 ? 0.01 : -0.01;
}

TEST(Integrate, AlternatingReadingsAndARampAreExact) {
  const auto alternating = [](double t) { return std::lround(t) % 2 == 0 ? 251.0 : 249.0; };
  const PowerSeries even = sampled(alternating, 100, 1);
  const WindowEnergy energy = PowerCurve(even, 1).energy(window(10, 70));
  EXPECT_NEAR(energy.joules->value, 250 * 60, 1e-6);
  EXPECT_EQ(energy.samples, 61U);
  EXPECT_EQ(energy.peak_w, 251);
  EXPECT_GT(energy.joules->half_width, 60.0 / 2);  // readings are whole watts
  EXPECT_FALSE(energy.flagged());
  const PowerSeries ramp = sampled([](double t) { return 100 + 2 * t; }, 100, 1);
  const WindowEnergy ramped = PowerCurve(ramp, 0).energy(window(10.25, 70.75));
  EXPECT_NEAR(ramped.joules->value, 60.5 * (100 + 81.0), 1e-6);
  EXPECT_NEAR(ramped.average_w, 181, 1e-9);
  EXPECT_EQ(ramped.min_w, 122);
  EXPECT_EQ(ramped.peak_w, 240);
  EXPECT_FALSE(ramped.flagged());
}

TEST(Integrate, TheLastDigitOfReadingsIsTheirStep) {
  const auto step = [](double scale) {
    const PowerSeries series = sampled([&](double t) { return std::round(3000 + 7 * t) * scale; }, 100, 1);
    return PowerCurve(series, 0).power_step_w();
  };
  EXPECT_DOUBLE_EQ(step(0.1), 0.1);
  EXPECT_DOUBLE_EQ(step(0.001), 0.001);
  EXPECT_EQ(step(1e-7), 0);
}

TEST(Integrate, AStepIsWithinItsInterval) {
  for (const double step_s : {20.0, 20.3, 20.5, 20.99}) {
    const PowerSeries step =
        sampled([&](double t) { return (t < step_s ? 80.0 : 400.0) + ripple(t, 1); }, 60, 1);
    const WindowEnergy inside = PowerCurve(step, 0).energy(window(5, 55));
    EXPECT_NEAR(inside.joules->value, 80 * (step_s - 5) + 400 * (55 - step_s), inside.joules->half_width);
    const WindowEnergy at_edge = PowerCurve(step, 0).energy(window(step_s, 55));
    EXPECT_NEAR(at_edge.joules->value, 400 * (55 - step_s), at_edge.joules->half_width);
  }
}

TEST(Integrate, ASineIsWithinTheTrapezoidalErrorAndTheInterval) {
  const auto watts = [](double t) { return 300 + 100 * std::sin(t); };
  const auto joules = [](double a, double b) { return 300 * (b - a) + 100 * (std::cos(a) - std::cos(b)); };
  const PowerSeries sine = sampled(watts, 100, 0.1);
  const WindowEnergy energy = PowerCurve(sine, 0).energy(window(3.21, 90.07));
  EXPECT_NEAR(energy.joules->value, joules(3.21, 90.07), 100 * 87 * 0.01 / 12);
  EXPECT_LT(energy.joules->half_width / energy.joules->value, 0.005);
}

TEST(Integrate, AMeterThatAveragesIsWithinItsInterval) {
  // Each reading is the mean of the last second of a load that is on from 10 s to 20 s.
  const auto printable = [](double t) {
    return 100 + 300 * (std::clamp(t - 10, 0.0, 1.0) - std::clamp(t - 20, 0.0, 1.0)) + ripple(t, 0.04);
  };
  const PowerSeries lagging = sampled(printable, 40, 0.04);
  const WindowEnergy energy = PowerCurve(lagging, 1).energy(window(10, 20));
  EXPECT_NEAR(energy.joules->value, 4000, energy.joules->half_width);
  EXPECT_GT(std::abs(energy.joules->value - 4000), 100);
  const WindowEnergy unaware = PowerCurve(lagging, 0).energy(window(10, 20));
  EXPECT_LT(unaware.joules->half_width, 0.5 * energy.joules->half_width);
}

TEST(Integrate, WhatTheLogDoesNotCoverHasNoNumber) {
  const PowerSeries series = sampled([](double t) { return 100 + t; }, 100, 1);
  const PowerCurve curve(series, 0);
  const auto missing = [&](double from_s, double to_s) {
    const WindowEnergy energy = curve.energy(window(from_s, to_s));
    EXPECT_FALSE(energy.joules);
    return energy.missing;
  };
  EXPECT_NE(missing(-50, -10).find("outside the log, whose readings are from"), std::string::npos);
  EXPECT_NE(missing(101, 110).find("outside the log"), std::string::npos);
  EXPECT_NE(missing(-2.5, 50).find("begins 2.500 s before the log's first reading"), std::string::npos);
  EXPECT_NE(missing(50, 102.25).find("ends 2.250 s after"), std::string::npos);
  EXPECT_NE(missing(50.1, 50.9).find("the log has no reading in its 0.8 s"), std::string::npos);
  EXPECT_NE(missing(50.1, 51.9).find("the log has only one reading in its 1.8 s"), std::string::npos);
  EXPECT_NE(missing(50, 50).find("no length"), std::string::npos);
  EXPECT_TRUE(curve.energy(window(0, 100)).joules);
  const PowerSeries empty{"pm1", {}};
  EXPECT_EQ(PowerCurve(empty, 0).energy(window(0, 1)).missing, "pm1 has no reading");
}

TEST(Integrate, EndsThatTheLogAlmostReachesAreBridged) {
  const PowerSeries series = sampled([](double t) { return 200 + ripple(t, 1); }, 100, 1);
  const PowerCurve curve(series, 0);
  const WindowEnergy late = curve.energy(window(50, 101.5));
  EXPECT_NEAR(late.joules->value, 51.5 * 200, 0.1);
  EXPECT_NEAR(late.joules->half_width, 1.5 * 200, 1) << "the energy of the bridged time";
  EXPECT_EQ(late.samples, 51U);
  EXPECT_DOUBLE_EQ(late.bridged_s, 1.5);
  const WindowEnergy both = curve.energy(window(-0.4, 100.3));
  EXPECT_NEAR(both.joules->half_width, std::hypot(0.4, 0.3) * 200, 1);
  EXPECT_NEAR(both.bridged_s, 0.7, 1e-9);
  EXPECT_EQ(curve.energy(window(50, 100)).bridged_s, 0);
  EXPECT_EQ(curve.energy(window(50, 103)).samples, 51U)
      << "readings are counted, although the energy is missing";
  EXPECT_TRUE(curve.covers(window(-2, 102)));
  EXPECT_FALSE(curve.covers(window(-2.1, 102)));
}

TEST(Integrate, FewSamplesAreFlagged) {
  const PowerSeries series = sampled([](double t) { return 100 + t; }, 100, 1);
  EXPECT_TRUE(PowerCurve(series, 0).energy(window(0, 8)).few_samples);
  EXPECT_FALSE(PowerCurve(series, 0).energy(window(0, 9)).few_samples);
}

TEST(Integrate, AMeterThatStandsStillHasNoEnergy) {
  const auto stopping = [](double t) { return 100 + std::min(t, 40.0); };
  const PowerSeries series = sampled(stopping, 100, 1);
  const PowerCurve curve(series, 0);
  const WindowEnergy still = curve.energy(window(30, 60));
  EXPECT_FALSE(still.joules);
  EXPECT_TRUE(still.frozen);
  EXPECT_EQ(still.missing, "the meter stood still for 20.000 s of its 30.000 s, reading 140 W");
  EXPECT_TRUE(curve.energy(window(50, 53)).frozen) << "the readings next to the window count, too";
  EXPECT_FALSE(curve.energy(window(10, 60)).frozen) << "less than half of the window";
  EXPECT_FALSE(curve.energy(window(33, 36)).frozen);
  const PowerSeries moving = sampled([](double t) { return 100 + t; }, 100, 1);
  const WindowEnergy sum = total_energy({{series, 0}, {moving, 0}}, window(30, 60));
  EXPECT_FALSE(sum.joules) << "one of two meters is enough";
  EXPECT_TRUE(sum.frozen);
}

TEST(Integrate, GapsAreToldAndWidenTheInterval) {
  PowerSeries series = sampled([](double t) { return 200 + 10 * std::sin(t / 5); }, 100, 1);
  const double whole = PowerCurve(series, 0).energy(window(5, 95)).joules->half_width;
  std::erase_if(series.samples, [](const auto& s) { return s.unix_ns > at(40) && s.unix_ns < at(44); });
  const WindowEnergy energy = PowerCurve(series, 0).energy(window(5, 95));
  ASSERT_EQ(energy.gaps.size(), 1U);
  EXPECT_EQ(energy.gaps[0].seconds(), 4);
  EXPECT_EQ(energy.silent_s(), 4);
  EXPECT_TRUE(energy.silent());
  EXPECT_GT(energy.joules->half_width, whole + 10);
  EXPECT_TRUE(PowerCurve(series, 0).energy(window(45, 95)).gaps.empty());
  // In a window that begins within the gap, the rest of the gap is a gap.
  EXPECT_EQ(PowerCurve(series, 0).energy(window(43, 95)).gaps.at(0).seconds(), 1);
  std::erase_if(series.samples, [](const auto& s) { return s.unix_ns > at(20) && s.unix_ns < at(80); });
  EXPECT_NE(
      PowerCurve(series, 0).energy(window(15, 90)).missing.find("there is no reading in 60 of its 75 s"),
      std::string::npos);
}

TEST(Integrate, ShortGapsInLongWindowsAreNoSilence) {
  PowerSeries series = sampled([](double t) { return 200 + 10 * std::sin(t); }, 100, 0.1);
  std::erase_if(series.samples, [](const auto& s) { return s.unix_ns > at(40) && s.unix_ns < at(42); });
  const PowerCurve curve(series, 0);
  EXPECT_NEAR(curve.energy(window(5, 95)).silent_s(), 2, 0.01);
  EXPECT_FALSE(curve.energy(window(5, 95)).silent());
  EXPECT_TRUE(curve.energy(window(37, 44)).silent()) << "more than a quarter of the window";
  EXPECT_FALSE(curve.energy(window(43, 95)).silent());
}

TEST(Integrate, SeveralMetersAddUp) {
  const PowerSeries one = sampled([](double t) { return 100 + t; }, 100, 1);
  PowerSeries two = sampled([](double t) { return 300 - t; }, 100, 0.7);
  two.name = "pm2";
  const WindowEnergy energy = total_energy({{one, 0}, {two, 0}}, window(10, 60));
  EXPECT_NEAR(energy.joules->value, 400 * 50, 1e-6);
  EXPECT_NEAR(energy.peak_w, 400, 1e-9);
  EXPECT_NEAR(energy.min_w, 400, 1e-9);
  EXPECT_EQ(energy.samples, 51U);
  std::erase_if(two.samples, [](const auto& s) { return s.unix_ns > at(20) && s.unix_ns < at(25); });
  EXPECT_EQ(total_energy({{two, 0}, {two, 0}}, window(10, 60)).gaps.size(), 1U);
  two.samples.resize(40);
  const WindowEnergy partly = total_energy({{one, 0}, {two, 0}}, window(10, 60));
  EXPECT_FALSE(partly.joules);
  EXPECT_TRUE(partly.missing.starts_with("pm2: it ends"));
}

/// Returns readings of random powers at random times.
PowerSeries any_series() {
  PowerSeries series{"gpu 0", {}};
  int64_t time = kStart;
  const auto count = *rc::gen::inRange(40, 200);
  for (int i = 0; i < count; ++i) {
    time += *rc::gen::inRange<int64_t>(30'000'000, 80'000'000);
    series.samples.push_back({time, 1 + 0.01 * *rc::gen::inRange(0, 70'000) + 0.005 * (i % 2)});
  }
  return series;
}

RC_GTEST_PROP(Integrate, WindowsAddUp, ()) {
  const PowerSeries series = any_series();
  const int64_t first = series.samples.front().unix_ns, length = series.samples.back().unix_ns - first;
  const int64_t a = first + *rc::gen::inRange<int64_t>(0, length / 4);
  const int64_t b = first + *rc::gen::inRange<int64_t>(length * 2 / 5, length * 3 / 5);
  const int64_t c = first + *rc::gen::inRange<int64_t>(length * 3 / 4, length);
  const PowerCurve curve(series, 0.1);
  const double whole = curve.energy({a, c}).joules.value().value;
  const double parts = curve.energy({a, b}).joules.value().value + curve.energy({b, c}).joules.value().value;
  RC_ASSERT(std::abs(whole - parts) <= 1e-9 * whole);
}

RC_GTEST_PROP(Integrate, TimesThatAreShiftedTogetherGiveTheSame, ()) {
  PowerSeries series = any_series();
  const int64_t first = series.samples.front().unix_ns, length = series.samples.back().unix_ns - first;
  const PowerWindow before{first + *rc::gen::inRange<int64_t>(0, length / 4), first + length * 3 / 4};
  const WindowEnergy energy = PowerCurve(series, 1).energy(before);
  const int64_t shift = *rc::gen::inRange<int64_t>(-1'000'000, 1'000'000) * 999'999'937;
  for (auto& sample : series.samples) sample.unix_ns += shift;
  const WindowEnergy shifted = PowerCurve(series, 1).energy({before.begin_ns + shift, before.end_ns + shift});
  RC_ASSERT(std::abs(shifted.joules.value().value - energy.joules.value().value) <=
            1e-9 * energy.joules->value);
  RC_ASSERT(shifted.samples == energy.samples);
  RC_ASSERT(std::abs(shifted.joules->half_width - energy.joules->half_width) <=
            1e-6 * energy.joules->half_width);
}

RC_GTEST_PROP(Integrate, EnergyLiesBetweenTheLeastAndTheMost, ()) {
  const PowerSeries series = any_series();
  const PowerCurve curve(series, 0);
  const PowerWindow all{series.samples.front().unix_ns, series.samples.back().unix_ns};
  const WindowEnergy energy = curve.energy(all);
  RC_ASSERT(energy.average_w >= energy.min_w - 1e-9);
  RC_ASSERT(energy.average_w <= energy.peak_w + 1e-9);
}

/// A meter in whose run the power is 100 W, and 30 W before and after it.
struct MeteredRun {
  MeterLag lag{};
  double interval_s = 1;
  double begin_s = 60;         ///< time of the run's begin
  double before_s = 0;         ///< time for which the same work runs before the run
  bool whole_seconds = false;  ///< whether the times of the readings are cut to whole seconds

  /// Returns the energy of a run of `run_s` seconds.
  Interval joules(double run_s) const {
    const double from_s = begin_s - before_s, end_s = begin_s + run_s;
    const auto busy_s = [&](double until_s) { return std::clamp(until_s, from_s, end_s) - from_s; };
    const auto mean_w = [&](double t) {
      const double to_s = t - lag.delay_s;
      return 30 + 70 * (busy_s(to_s) - busy_s(to_s - lag.averaging_s)) / lag.averaging_s +
             ripple(t, interval_s);
    };
    PowerSeries series{"pm1", {}};
    constexpr double kFirst_s = 0.3;  // otherwise all times at 1 Hz would be whole seconds
    for (double t = kFirst_s; t < end_s + 60; t += interval_s)
      series.samples.push_back({at(whole_seconds ? std::floor(t) : t), mean_w(t)});
    return *PowerCurve(series, lag).energy(window(begin_s, end_s)).joules;
  }
};

/// Returns the energies of runs of `run_s` seconds that begin at several times between two readings.
std::vector<Interval> joules_of_runs(MeteredRun run, double run_s) {
  constexpr int kBegins = 20;
  std::vector<Interval> joules;
  for (int i = 0; i < kBegins; ++i) {
    run.begin_s = 60 + run.interval_s * (i + 0.5) / kBegins;
    joules.push_back(run.joules(run_s));
  }
  return joules;
}

double mean_half_width_percent(const MeteredRun& run, double run_s) {
  const std::vector<Interval> joules = joules_of_runs(run, run_s);
  double sum = 0;
  for (const Interval& one : joules) sum += 100 * one.half_width / one.value;
  return sum / static_cast<double>(joules.size());
}

double largest_error_percent(const MeteredRun& run, double run_s) {
  double largest = 0;
  for (const Interval& one : joules_of_runs(run, run_s)) {
    const double error_j = std::abs(one.value - 100 * run_s);
    EXPECT_LE(error_j, one.half_width);
    largest = std::max(largest, error_j / run_s);
  }
  return largest;
}

TEST(Integrate, HalfWidthsOfRunsAreThoseOfTheGuide) {
  const MeteredRun wattsup{.lag = {1, 0}}, smi{.lag = {1, 0.1}, .interval_s = 0.04};
  // The numbers of the table "How many runs" of docs/guide/energy.md, each with half of its last digit.
  struct Row {
    double run_s, wattsup, wattsup_rounding, smi, smi_rounding;
  };
  for (const Row& row : {Row{10, 8, 0.5, 4.4, 0.05}, Row{60, 1.3, 0.05, 0.7, 0.05},
                         Row{300, 0.25, 0.005, 0.14, 0.005}, Row{1800, 0.04, 0.005, 0.02, 0.005}}) {
    EXPECT_NEAR(mean_half_width_percent(wattsup, row.run_s), row.wattsup, row.wattsup_rounding) << row.run_s;
    EXPECT_NEAR(mean_half_width_percent(smi, row.run_s), row.smi, row.smi_rounding) << row.run_s;
    EXPECT_LE(largest_error_percent(wattsup, row.run_s), 1.2 * row.wattsup) << row.run_s;
  }
}

/// As in the blocks of kjoule, which begin when all readings are of their work.
TEST(Integrate, TimesWithFractionsAreBetterWhereTheSameWorkRunsBefore) {
  const MeteredRun fractions{.lag = {1, 0}, .before_s = 2.1};
  MeteredRun whole_seconds = fractions;
  whole_seconds.whole_seconds = true;
  EXPECT_LT(largest_error_percent(fractions, 11), 0.5);
  EXPECT_GT(largest_error_percent(whole_seconds, 11), 1);
}

TEST(Integrate, ATimeOfSeveralMetersWidensTheInterval) {
  const PowerSeries step = sampled([](double t) { return (t < 20 ? 80.0 : 400.0) + ripple(t, 1); }, 60, 1);
  PowerSeries exact = step;
  for (auto& sample : exact.samples) sample.unix_ns += 1;  // otherwise all times would be whole seconds
  const auto half_width = [&](double time_error_s) {
    MeterLag lag{1};
    lag.time_error_s = time_error_s;
    return PowerCurve(exact, lag).energy(window(19.5, 50)).joules->half_width;
  };
  EXPECT_NEAR(std::sqrt(std::pow(half_width(0.5), 2) - std::pow(half_width(0), 2)), 0.5 * 320, 1);
}

}  // namespace
}  // namespace kjoule
