#include "measure/time/stamped_whole.hpp"

#include <gtest/gtest.h>

#include "simulated/device.hpp"
#include "simulated/truth.hpp"

namespace kjoule {
namespace {

double relative_error(const std::string& spec) {
  SimulatedDevice device(parse_simulated_spec(spec));
  const Truth truth = truth_of(device.program());
  device.begin_round(0);
  return time_undisturbed_whole(device, {truth.launch_s.size(), {}, {}, {}}) / truth.whole_s - 1;
}

TEST(UndisturbedWhole, IsTheTrueTimeOfAnIteration) {
  EXPECT_NEAR(relative_error("seed=3,noise=0,drift=0"), 0, 1e-4);
  EXPECT_NEAR(relative_error("seed=4,noise=0,drift=0,long_reuse=on"), 0, 1e-4);
  EXPECT_NEAR(relative_error("seed=5,noise=0,drift=0,launches=20"), 0, 1e-4);
}

TEST(UndisturbedWhole, IsTheTimeFromRestoredMemoryWithoutRestoring) {
  SimulatedDevice device(parse_simulated_spec("seed=3,noise=0,drift=0,launches=20,converged=5"));
  TimedIteration iteration{20, {}, {}, {}};
  device.begin_round(0);
  const double repeated_s = time_undisturbed_whole(device, iteration);
  iteration.restores = true;
  const double whole_s = truth_of(device.program()).whole_s;
  EXPECT_NEAR(time_undisturbed_whole(device, iteration) / whole_s, 1, 0.02) << "restoring displaces data";
  EXPECT_NEAR(repeated_s / whole_s, 0.2, 0.001);
}

TEST(UndisturbedWhole, HasNoStampBeforeALaunchThatBeginsEarly) {
  SimulatedDevice device(parse_simulated_spec("seed=3,noise=0,drift=0,launches=20"));
  const Truth truth = truth_of(device.program());
  device.begin_round(0);
  EXPECT_NEAR(time_undisturbed_whole(device, {20, {}, {0, 19}, {}}) / truth.whole_s, 1, 1e-4);
}

TEST(UndisturbedWhole, LeavesExcludedLaunchesOut) {
  SimulatedDevice device(parse_simulated_spec("seed=3,noise=0,drift=0,fail=1"));
  const size_t launches = truth_of(device.program()).launch_s.size();
  device.begin_round(0);
  EXPECT_THROW(time_undisturbed_whole(device, {launches, {}, {}, {}}), DeviceError);
  EXPECT_GT(time_undisturbed_whole(device, {launches, {1}, {}, {}}), 0);
}

}  // namespace
}  // namespace kjoule
