#include "power/logs/sample_order.hpp"

#include <gtest/gtest.h>

#include <random>

#include "base/error.hpp"

namespace kjoule {
namespace {

using Samples = std::vector<PowerSeries::Sample>;

/// Samples with these times in s; their powers are 1, 2, ...
Samples at(const std::vector<double>& seconds) {
  Samples samples;
  for (const double s : seconds)
    samples.push_back({static_cast<int64_t>(s * 1e9), static_cast<double>(samples.size() + 1)});
  return samples;
}

std::vector<double> times(double begin, double end, double interval) {
  std::vector<double> all;
  for (double s = begin; s < end; s += interval) all.push_back(s);
  return all;
}

std::vector<double> joined(std::vector<double> first, const std::vector<double>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

TEST(SampleOrder, LateLinesAreSorted) {
  Samples samples = at({1, 3, 2, 4});
  EXPECT_EQ(sort_samples(samples), 1U);
  EXPECT_EQ(samples[1].watts, 3);
  Samples swapped = at(joined(times(100, 200, 1), times(0, 99, 1)));
  EXPECT_EQ(sort_samples(swapped), 99U) << "the later log comes first";
  Samples reversed = at({500, 400, 300, 200});
  EXPECT_EQ(sort_samples(reversed), 3U);
}

TEST(SampleOrder, TwoLogsOfOneTimeAreRefused) {
  Samples twice = at(joined(times(0, 100, 1), times(0, 100, 1)));
  EXPECT_THROW(sort_samples(twice), Error);
  Samples overlapping = at(joined(times(0, 100, 1), times(80.5, 200, 1)));
  EXPECT_THROW(sort_samples(overlapping), Error);
}

TEST(SampleOrder, EqualTimesAreJoined) {
  Samples samples = at({1, 2, 2, 3});
  EXPECT_EQ(join_samples(samples), 1U);
  ASSERT_EQ(samples.size(), 3U);
  EXPECT_EQ(samples[1].watts, 2.5);
}

TEST(OneDevice, GroupsOfReadingsAreSeveralDevices) {
  for (const size_t devices : {2U, 4U, 8U, 16U})
    for (const double apart_s : {0.0, 0.001, 0.0005}) {
      std::vector<double> all;
      for (const double s : times(0, 100, 0.04))
        for (size_t d = 0; d < devices; ++d) all.push_back(s + static_cast<double>(d) * apart_s);
      EXPECT_THROW(check_one_device(at(all)), Error) << devices << " devices, " << apart_s << " s apart";
    }
}

TEST(OneDevice, JitterLossesAndPausesAreOne) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> share(0, 1);
  for (const double lost : {0.0, 0.03, 0.1, 0.3})
    for (const double jitter : {0.0, 0.2, 0.4}) {
      std::vector<double> all;
      for (const double s : joined(times(0, 100, 0.04), times(5000, 5100, 0.04)))
        if (share(random) >= lost) all.push_back(s + 0.04 * jitter * (share(random) - 0.5));
      EXPECT_NO_THROW(check_one_device(at(all))) << lost << " lost, jitter " << jitter;
    }
  EXPECT_NO_THROW(check_one_device(at({0, 0, 1, 1})));
}

/// Bursts of `size(g)` readings, `apart_s` apart, every `period_s`, with the powers `watts(g, p)`.
template <class Size, class Watts>
Samples bursts(Size size, double apart_s, double period_s, Watts watts) {
  Samples samples;
  for (size_t g = 0; g < 40; ++g)
    for (size_t p = 0; p < size(g); ++p)
      samples.push_back(
          {static_cast<int64_t>((static_cast<double>(g) * period_s + static_cast<double>(p) * apart_s) * 1e9),
           watts(g, p)});
  return samples;
}

TEST(OneDevice, BurstsAreOneDevice) {
  const auto five = [](size_t) { return size_t{5}; };
  const auto varying = [](size_t g) { return 6 + g % 4; };
  const auto noise = [](size_t g, size_t p) { return 200.0 + static_cast<double>((g * 7 + p * 3) % 11); };
  const auto by_place = [](size_t g, size_t p) { return 200.0 + static_cast<double>(30 * p + g % 3); };
  EXPECT_NO_THROW(check_one_device(bursts(five, 0.1, 1, noise))) << "the pause is six times the interval";
  EXPECT_NO_THROW(check_one_device(bursts(varying, 0.01, 1, noise))) << "the number varies";
  EXPECT_THROW(check_one_device(bursts(five, 0.1, 1, by_place)), Error) << "powers depend on the place";
  EXPECT_THROW(check_one_device(bursts(five, 0.001, 1, noise)), Error) << "they may be five devices";
}

TEST(OneDevice, EqualTimesOfDifferentPowersAreSeveralDevices) {
  const auto two = [](size_t) { return size_t{2}; };
  const auto hosts = [](size_t g, size_t p) { return p == 0 ? 100.0 + static_cast<double>(g % 3) : 200; };
  const auto noise = [](size_t g, size_t p) { return 200.0 + static_cast<double>((g * 7 + p * 3) % 11); };
  EXPECT_THROW(check_equal_times(bursts(two, 0, 1, hosts)), Error);
  EXPECT_NO_THROW(check_equal_times(bursts(two, 0, 1, noise))) << "times are coarse";
  EXPECT_NO_THROW(check_equal_times(bursts(two, 0.1, 1, hosts)));
}

}  // namespace
}  // namespace kjoule
