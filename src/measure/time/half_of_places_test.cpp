#include "measure/time/half_of_places.hpp"

#include <gtest/gtest.h>

#include "measure/time/estimate.hpp"

namespace kjoule {
namespace {

/// Returns a table of two kernels that alternate, and a third kernel at the last place.
KernelTable alternating(LaunchIndex launches) {
  KernelTable table{{{}, {}, {}}, {}};
  for (LaunchIndex i = 0; i < launches; ++i) table.kernels[i + 1 == launches ? 2 : i % 2].places.push_back(i);
  return table;
}

TEST(HalfOfPlaces, EqualLaunchesPredictEachOther) {
  std::vector<double> seconds(41, 1e-6);
  seconds.back() = 10e-6;
  const auto found = test_halves(alternating(41), seconds, seconds);
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(found->mean_error, 0, 1e-12);
  EXPECT_NEAR(found->sum_error, 0, 1e-12);
  EXPECT_NEAR(found->once_share, 0.2, 1e-12);
}

TEST(HalfOfPlaces, LaunchesOfOneKernelThatDifferMakeItFail) {
  std::vector<double> seconds(41, 1e-6);
  for (LaunchIndex i = 0; i < 20; ++i) seconds[i] = 3e-6;
  const auto found = test_halves(alternating(41), seconds, seconds);
  ASSERT_TRUE(found.has_value());
  EXPECT_GT(found->mean_error, 0.02);
}

TEST(HalfOfPlaces, ABiasBetweenTheMeasurementsShows) {
  const std::vector<double> predicting(40, 1.05e-6), measured(40, 1e-6);
  EXPECT_NEAR(test_halves(alternating(40), predicting, measured)->sum_error, 0.05, 1e-9);
}

TEST(HalfOfPlaces, WhereEveryKernelOccursOnceThereIsNothingToTest) {
  EXPECT_FALSE(test_halves(one_kernel_each(5), std::vector<double>(5, 1e-6), std::vector<double>(5, 1e-6)));
}

}  // namespace
}  // namespace kjoule
