#include "measure/time/busy_device.hpp"

#include <gtest/gtest.h>

#include "measure/time/timed_iteration.hpp"
#include "simulated/device.hpp"
#include "simulated/truth.hpp"

namespace kjoule {
namespace {

/// Returns work of two iterations of 20 launches, with stamps at both ends of each iteration.
StampedWork two_iterations() {
  StampedWork work{{}, {19, 39}};
  for (LaunchIndex place = 0; place < 40; ++place) work.launches.push_back(place % 20);
  return work;
}

TEST(BusyDevice, ReplaysATrackWithoutAPauseBeforeAndAfterIt) {
  SimulatedDevice device(parse_simulated_spec("seed=3,noise=0,drift=0,launches=20"));
  const double iteration_s = truth_of(device.program()).whole_s;
  const auto track = device.open(two_iterations());
  track->enqueue(1);
  const double paused_s = track->wait().seconds.front();
  BusyDevice busy(device, {20, {}, {}, {}}, iteration_s);
  for (int i = 0; i < 5; ++i) {
    const int64_t begin_ns = device.clock().now_ns();
    EXPECT_NEAR(busy.replay(*track).seconds.front(), paused_s, 1e-3 * paused_s);
    EXPECT_GT(device.clock().now_ns() - begin_ns, 5e-4 * 1e9) << "iterations came before it";
  }
}

TEST(BusyDevice, HandsOverWorkAndReturns) {
  SimulatedDevice device(parse_simulated_spec("seed=3,noise=0,drift=0,launches=20"));
  const int64_t begin_ns = device.clock().now_ns();
  {
    BusyDevice busy(device, {20, {}, {}, {}}, truth_of(device.program()).whole_s);
    busy.fill(0.1);
    EXPECT_EQ(device.clock().now_ns(), begin_ns);
    for (int i = 0; i < 9; ++i) busy.fill(0.01);  // more than a device takes at once
  }
  EXPECT_GT(static_cast<double>(device.clock().now_ns() - begin_ns) * 1e-9, 0.19) << "all of it is replayed";
}

TEST(BusyDevice, ReplaysNoExcludedLaunch) {
  SimulatedDevice device(parse_simulated_spec("seed=3,launches=20,fail=5"));
  BusyDevice busy(device, {20, {5}, {}, {}}, 1e-4);
  const auto track = device.open(StampedWork{{0, 1, 2}, {0, 2}});
  busy.fill(0.1);
  EXPECT_EQ(busy.replay(*track).seconds.size(), 1u);
}

}  // namespace
}  // namespace kjoule
