#include <gtest/gtest.h>

#include <numeric>

#include "simulated/device.hpp"
#include "simulated/truth.hpp"

namespace kjoule {
namespace {

/// `iterations` iterations with stamps after these places.
StampedWork stamped(size_t launches, size_t iterations, std::vector<uint32_t> after) {
  StampedWork work{{}, std::move(after)};
  for (size_t place = 0; place < iterations * launches; ++place)
    work.launches.push_back(static_cast<LaunchIndex>(place % launches));
  return work;
}

std::vector<double> distances(SimulatedDevice& device, const StampedWork& work) {
  const auto track = device.open(work);
  track->enqueue(1);
  return track->wait().seconds;
}

TEST(SimulatedStamps, ASegmentThatIsOneLaunchLongerTakesThatLaunchLonger) {
  SimulatedDevice device(parse_simulated_spec("seed=7,noise=0,drift=0,launches=30"));
  const Truth truth = truth_of(device.program());
  constexpr uint32_t kLaunches = 30;
  for (uint32_t begin = kLaunches; begin < 2 * kLaunches; ++begin)
    for (uint32_t gap = 1; gap < 6; ++gap) {
      const double shorter = distances(device, stamped(kLaunches, 3, {begin, begin + gap})).front();
      const double longer = distances(device, stamped(kLaunches, 3, {begin, begin + gap + 1})).front();
      EXPECT_NEAR((longer - shorter) / truth.launch_s[(begin + gap + 1) % kLaunches], 1, 1e-6)
          << begin << ' ' << gap;
    }
}

TEST(SimulatedStamps, OfEachRepeatComeTheDistancesOfSuccessiveStamps) {
  SimulatedDevice device(parse_simulated_spec("seed=7,noise=0,drift=0,launches=10"));
  const auto track = device.open(stamped(10, 2, {9, 12, 19}));
  track->enqueue(3);
  const TrackTiming replayed = track->wait();
  ASSERT_EQ(replayed.seconds.size(), 3 * 2);
  EXPECT_LT(replayed.seconds[0], replayed.seconds[1]);
  EXPECT_EQ(replayed.clock_hz.size(), 3);
}

TEST(SimulatedStamps, ADistortedDeviceTakesLongerForEverythingOnceItHasManyTracks) {
  SimulatedDevice device(parse_simulated_spec("seed=7,noise=0,drift=0,launches=10,distortion=0.25"));
  const auto time = [](Track& track) {
    track.enqueue(1);
    return track.wait().seconds.front();
  };
  const auto whole = device.open(stamped(10, 2, {9, 19}));
  const auto empty = device.open(EmptyKernels{100});
  const double whole_s = time(*whole), empty_s = time(*empty);
  std::vector<std::unique_ptr<Track>> others;
  for (int i = 0; i < 4; ++i) others.push_back(device.open(stamped(10, 2, {9, 19})));
  EXPECT_NEAR(time(*whole) / whole_s, 1.25, 1e-6);
  EXPECT_NEAR(time(*empty) / empty_s, 1.25, 1e-6);
}

TEST(SimulatedStamps, ALaunchThatIsNotThereIsRefused) {
  SimulatedDevice device(parse_simulated_spec("seed=7,launches=10"));
  EXPECT_THROW(device.open(StampedWork{{0, 11}, {0, 1}}), DeviceError);
}

TEST(SimulatedStamps, LaunchesBetweenManyStampsTakeTheSpecifiedShareLonger) {
  SimulatedDevice device(parse_simulated_spec("seed=7,noise=0,drift=0,launches=10,nonadditive=0.25"));
  SimulatedDevice additive(parse_simulated_spec("seed=7,noise=0,drift=0,launches=10"));
  const auto longer = [&](const std::vector<uint32_t>& after) {
    const StampedWork work = stamped(10, 3, after);
    return distances(device, work).front() / distances(additive, work).front();
  };
  EXPECT_NEAR(longer({9, 19, 29}), 1, 1e-9);
  EXPECT_NEAR(longer({9, 14, 19, 29}), 1.25, 1e-9);
  EXPECT_NEAR(longer({9, 11, 13, 15, 17, 19}), 1.25, 1e-9) << "the same whatever their number";
  EXPECT_NEAR(longer({9, 19}), 1, 1e-9) << "it does not last";
}

}  // namespace
}  // namespace kjoule
