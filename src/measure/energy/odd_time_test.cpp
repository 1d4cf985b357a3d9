#include "measure/energy/odd_time.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

constexpr double kPausePower = 0.4;  // of the whole's

TEST(OddTime, CountsWhatIsAboveNoise) {
  EXPECT_NEAR(odd_time(1.1, 1), 0.1, 0.002);
  EXPECT_NEAR(odd_time(0.9, 1), -0.1, 0.002);
  EXPECT_LT(odd_time(1.002, 1), 0.0001);
}

TEST(OddEnergy, OfAddedTimeIsThatOfPausesAndOfMissingTimeThatOfTheWhole) {
  const Interval waiting = power_of_added_time(kPausePower, {});
  EXPECT_NEAR(odd_energy(0.1, waiting).value, 0.04, 1e-12);
  EXPECT_NEAR(odd_energy(0.1, waiting).half_width, 0.06, 1e-12) << "it may draw as much as the whole";
  EXPECT_NEAR(odd_energy(-0.1, waiting).value, -0.1, 1e-12);
}

TEST(PowerOfAddedTime, IsMeasuredWhereCopiesDisplaceDataFromCaches) {
  const Interval work = power_of_added_time(kPausePower, RepeatEnergy{0.6, 0.4});
  EXPECT_NEAR(work.value, 1.5, 1e-12);
  EXPECT_LE(work.value - work.half_width, kPausePower + 1e-12) << "it may be waiting nevertheless";
  EXPECT_NEAR(power_of_added_time(kPausePower, RepeatEnergy{0.03, 0.01}).value, kPausePower, 1e-12)
      << "less than the scatter of what is not displaced";
  EXPECT_NEAR(power_of_added_time(kPausePower, RepeatEnergy{0.01, 0.2}).value, kPausePower, 1e-12)
      << "nothing draws less than pauses";
}

}  // namespace
}  // namespace kjoule
