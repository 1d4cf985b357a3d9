#include "power/load_pattern.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/error.hpp"

namespace kjoule {
namespace {

constexpr int64_t kStart_ns = 1'770'000'000'000'000'000;

LoadPattern pattern_of(double unit_s) {
  LoadPattern pattern{kStart_ns, kStart_ns, {}};
  bool load = false;
  for (const LoadPeriod& period : load_periods()) {
    if (period.load != load) pattern.edges.push_back({pattern.end_ns, period.load});
    load = period.load;
    pattern.end_ns += std::llround(period.units * unit_s * 1e9);
  }
  return pattern;
}

bool on_at(const LoadPattern& pattern, int64_t unix_ns) {
  bool on = false;
  for (const LoadEdge& edge : pattern.edges)
    if (edge.unix_ns <= unix_ns) on = edge.begins;
  return on;
}

struct LoggingMeter {
  double interval_s, averaging_s, noise_w;
};

/// A log that begins 100 s before the pattern and whose clock is behind by `offset_s`.
std::vector<PowerSeries::Sample> logged(const LoadPattern& pattern, const LoggingMeter& meter,
                                        double offset_s, int seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  std::normal_distribution<double> noise(0, meter.noise_w);
  std::uniform_real_distribution<double> phase(0, meter.interval_s);
  std::vector<PowerSeries::Sample> samples;
  const double first_s = phase(random);
  for (double at_s = first_s - 100; at_s < 250; at_s += meter.interval_s) {
    constexpr int kParts = 100;
    double watts = noise(random);
    for (int part = 0; part < kParts; ++part) {
      const double moment_s = at_s - meter.averaging_s * (part + 0.5) / kParts;
      watts += (80 + (on_at(pattern, kStart_ns + std::llround(moment_s * 1e9)) ? 60 : 0)) / 100.0;
    }
    samples.push_back({kStart_ns + std::llround((at_s - offset_s) * 1e9), watts});
  }
  return samples;
}

TEST(FindOffset, FindsKnownOffsetsWithinItsInterval) {
  int covered = 0, tried = 0;
  for (const LoggingMeter& meter : {LoggingMeter{1, 1, 1}, LoggingMeter{0.04, 0.1, 5},
                                    LoggingMeter{0.1, 0.02, 1}, LoggingMeter{1, 1, 15}})
    for (const double offset_s : {0.0, 3.7, -41.23, 3600.4}) {
      const LoadPattern pattern = pattern_of(3.3);
      const ClockOffset found =
          find_offset(logged(pattern, meter, offset_s, ++tried), pattern, meter.averaging_s, 0, 4000);
      EXPECT_NEAR(found.seconds.value, offset_s, 0.35) << "interval " << meter.interval_s;
      EXPECT_LT(found.seconds.half_width, meter.noise_w > 10 ? 0.6 : 0.35);
      EXPECT_GT(found.seconds.half_width, 0);
      EXPECT_NEAR(found.load_w, 60, meter.noise_w > 10 ? 20 : 3);
      if (std::abs(found.seconds.value - offset_s) <= found.seconds.half_width) ++covered;
    }
  RecordProperty("offsets", tried);
  RecordProperty("offsets_covered", covered);
  EXPECT_GE(covered, tried - 1) << "of " << tried << " intervals of 95 %";
}

TEST(FindOffset, FindsNothingWhereThereIsNoPattern) {
  const LoadPattern pattern = pattern_of(3.3);
  LoadPattern none = pattern;
  none.edges.clear();
  EXPECT_THROW(find_offset(logged(none, {1, 1, 2}, 0, 7), pattern, 1, 0, 100), Error) << "only noise";
  EXPECT_THROW(find_offset(logged(pattern, {1, 1, 2}, 500, 7), pattern, 1, 0, 100), Error) << "too far off";
  EXPECT_THROW(find_offset({}, pattern, 1, 0, 100), Error);
}

TEST(LoadPeriods, AreABarkerCode) {
  std::vector<int> code;
  for (const LoadPeriod& period : load_periods())
    code.insert(code.end(), static_cast<size_t>(period.units), period.load ? 1 : -1);
  const std::vector<int> middle(code.begin() + 3, code.end() - 3);
  ASSERT_EQ(middle.size(), 13u);
  for (size_t shift = 1; shift < middle.size(); ++shift) {
    int sum = 0;
    for (size_t i = shift; i < middle.size(); ++i) sum += middle[i] * middle[i - shift];
    EXPECT_LE(std::abs(sum), 1) << "shifted by " << shift;
  }
}

}  // namespace
}  // namespace kjoule
