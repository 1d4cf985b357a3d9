// Energies of emulated meters whose power curve is known: meters that average over different times, are read
// at different intervals, and are late.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "power/integrate.hpp"

namespace kjoule {
namespace {

constexpr double kGrid_s = 0.005, kLength_s = 60;
constexpr int64_t kBegin_ns = 1'770'000'000'000'000'000;

struct EmulatedMeter {
  double averaging_s, interval_s, delay_s;
};

/// A power curve on a grid, of which any energy is known.
class TruePower {
 public:
  explicit TruePower(const std::function<double(double)>& watts) : joules_{0} {
    for (double t = 0; t < kLength_s; t += kGrid_s) joules_.push_back(joules_.back() + watts(t) * kGrid_s);
  }
  double joules(double from_s, double to_s) const { return until(to_s) - until(from_s); }

 private:
  double until(double s) const {
    const auto cell = std::min(static_cast<size_t>(s / kGrid_s), joules_.size() - 2);
    return joules_[cell] + (joules_[cell + 1] - joules_[cell]) * (s / kGrid_s - static_cast<double>(cell));
  }
  std::vector<double> joules_;
};

class Meters : public testing::TestWithParam<EmulatedMeter> {
 protected:
  double uniform(double low, double high) { return std::uniform_real_distribution(low, high)(random_); }

  /// Returns what the meter reads: the mean of its averaging time, which ended `delay_s` ago, in steps of 10
  /// mW.
  PowerSeries read(const TruePower& power) {
    const auto [averaging_s, interval_s, delay_s] = GetParam();
    PowerSeries series{"gpu 0", {}};
    double at_s = averaging_s + delay_s + uniform(0, interval_s);
    for (; at_s < kLength_s; at_s += interval_s * uniform(0.9, 1.1)) {
      const double end_s = at_s - delay_s;
      const double watts = power.joules(end_s - averaging_s, end_s) / averaging_s;
      series.samples.push_back({kBegin_ns + std::llround(at_s * 1e9), std::round(watts * 100) / 100});
    }
    return series;
  }

  struct Covered {
    int cases = 0, inside = 0;
    std::vector<double> half_widths{};  ///< as shares of the energy
  };

  void add(const TruePower& power, double begin_s, double end_s, Covered& covered) {
    const PowerSeries series = read(power);
    const PowerCurve curve(series, MeterLag{GetParam().averaging_s, GetParam().delay_s});
    const WindowEnergy energy =
        curve.energy({kBegin_ns + std::llround(begin_s * 1e9), kBegin_ns + std::llround(end_s * 1e9)});
    ASSERT_TRUE(energy.joules) << energy.missing;
    const double true_j = power.joules(begin_s, end_s);
    covered.inside += std::abs(energy.joules->value - true_j) <= energy.joules->half_width ? 1 : 0;
    ++covered.cases;
    covered.half_widths.push_back(energy.joules->half_width / true_j);
  }

  /// Checks that at least 95 % of the intervals contain the true energy, and prints and checks their median
  /// half-width.
  void expect_covered(Covered covered, const char* what, double most) {
    std::ranges::nth_element(covered.half_widths, covered.half_widths.begin() + covered.cases / 2);
    const double median = covered.half_widths[static_cast<size_t>(covered.cases) / 2];
    fmt::print("{}, mean of {} s, every {} s, {} s late: {} of {} inside, half-width {:.2f} % (median)\n",
               what, GetParam().averaging_s, GetParam().interval_s, GetParam().delay_s, covered.inside,
               covered.cases, 100 * median);
    EXPECT_GE(covered.inside, 0.95 * covered.cases) << what;
    EXPECT_LE(median, most) << what;
  }

  static constexpr int kCases = 100;
  std::mt19937 random_{1};
};

TEST_P(Meters, OfPowerThatJumpsAtAnyTime) {
  Covered covered;
  for (int i = 0; i < kCases; ++i) {
    double level = 0, until_s = 0;
    std::normal_distribution noise(0.0, 2.0);
    const TruePower power([&](double t) {
      if (t >= until_s) {
        level = uniform(60, 300);
        until_s = t + 0.5 + std::exponential_distribution(0.25)(random_);
      }
      return level + 5 * std::sin(t) + noise(random_);
    });
    const double begin_s = uniform(15, 25);
    add(power, begin_s, begin_s + uniform(4, 25), covered);
  }
  expect_covered(std::move(covered), "jumps", 0.08);
}

/// A block of kjoule: the work runs for the meter's averaging time, its delay and one reading before the
/// block begins. The reading after its end contains other work.
TEST_P(Meters, OfSteadyWork) {
  Covered covered;
  const EmulatedMeter& meter = GetParam();
  for (int i = 0; i < kCases; ++i) {
    const double begin_s = uniform(20, 21);
    const double end_s =
        begin_s + std::max(3 * meter.averaging_s, 11 * std::max(meter.interval_s, meter.delay_s));
    const double before_w = uniform(60, 150), work_w = uniform(150, 400), after_w = uniform(60, 400);
    const TruePower power([&](double t) {
      const double ripple_w = 0.5 * std::sin(3 * t);
      const bool works =
          t >= begin_s - meter.averaging_s - meter.delay_s - 1.1 * meter.interval_s && t < end_s;
      return ripple_w + (works ? work_w : t < begin_s ? before_w : after_w);
    });
    add(power, begin_s, end_s, covered);
  }
  constexpr double kHalfAReading = 0.5 / 11;
  expect_covered(std::move(covered), "steady work", kHalfAReading);
}

/// A run whose begin and end are those of the load.
TEST_P(Meters, OfARunAfterIdleTime) {
  Covered covered;
  for (int i = 0; i < kCases; ++i) {
    const double begin_s = uniform(15, 16), end_s = begin_s + uniform(12, 30);
    const double idle_w = uniform(60, 100), work_w = uniform(150, 400);
    const TruePower power(
        [&](double t) { return 0.5 * std::sin(3 * t) + (t >= begin_s && t < end_s ? work_w : idle_w); });
    add(power, begin_s, end_s, covered);
  }
  expect_covered(std::move(covered), "a run after idle time", 0.06);
}

INSTANTIATE_TEST_SUITE_P(Emulated, Meters,
                         testing::Values(EmulatedMeter{0.025, 0.02, 0}, EmulatedMeter{0.025, 0.1, 0.1},
                                         EmulatedMeter{0.1, 0.04, 0}, EmulatedMeter{0.1, 0.1, 0.1},
                                         EmulatedMeter{0.1, 1, 0}, EmulatedMeter{1, 0.02, 0},
                                         EmulatedMeter{1, 0.1, 0.1}, EmulatedMeter{1, 1, 0}));

}  // namespace
}  // namespace kjoule
