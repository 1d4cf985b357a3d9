#include "measure/energy/cache_choice.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

/// Times that a program's launches add to iterations of copies, with warm and with flushed caches, s.
struct AddedTimes {
  double group_warm = 0, group_cold = 0;  ///< time of each of two groups
  double all_warm = 0, all_cold = 0;      ///< time of all launches together
  double second_pilot = 0;                ///< additional time in the second pilot with flushed caches
};

/// A track whose replays all take the same time, except one that takes `once_longer_s` longer.
class AlmostConstantTrack final : public Track {
 public:
  AlmostConstantTrack(double seconds, double once_longer_s)
      : seconds_(seconds), once_longer_s_(once_longer_s) {}
  void enqueue(int repeats) override {
    pending_.push_back(repeats * (seconds_ + (++enqueued_ == 4 ? once_longer_s_ : 0)));
  }
  TrackTiming wait() override {
    TrackTiming timing;
    timing.seconds = {pending_.front()};
    pending_.erase(pending_.begin());
    return timing;
  }

 private:
  double seconds_, once_longer_s_;
  int enqueued_ = 0;
  std::vector<double> pending_;
};

/// A program of two launches, each of which is a group.
class TwoLaunches final : public Device {
 public:
  explicit TwoLaunches(const AddedTimes& times) : times_(times) {}
  const DeviceInfo& info() const override { return info_; }
  Recording record() override { return {}; }
  Verification verify() override { return {}; }
  void begin_round(int) override {}
  std::unique_ptr<Track> open(const TrackSpec& spec) override {
    const auto& work = std::get<SteadyWork>(spec);
    const double copies_s = work.flushed ? 60e-6 : 30e-6;
    const bool is_launched = !work.left_out;
    return std::make_unique<AlmostConstantTrack>(copies_s + (is_launched ? added_s(work) : 0),
                                                 is_launched && work.flushed ? times_.second_pilot : 0);
  }

 private:
  double added_s(const SteadyWork& work) const {
    if (work.marked.size() == 2) return work.flushed ? times_.all_cold : times_.all_warm;
    return work.flushed ? times_.group_cold : times_.group_warm;
  }
  AddedTimes times_;
  DeviceInfo info_;
};

/// Returns whether flushed caches are chosen for two groups that take 50 us each in context.
bool chooses_flushed(const AddedTimes& times) {
  TwoLaunches device(times);
  EnergyPlan plan;
  plan.iteration_s = 100e-6;
  plan.groups = {{{0}, {0}, 50e-6}, {{1}, {1}, 50e-6}};
  choose_caches(device, plan);
  return plan.cold;
}

TEST(CacheChoice, FlushesWhereTimesAreThenThoseInContext) {
  EXPECT_TRUE(
      chooses_flushed({.group_warm = 55e-6, .group_cold = 51e-6, .all_warm = 101e-6, .all_cold = 101e-6}));
}

TEST(CacheChoice, FlushesWhereThatMakesTheIterationShorter) {
  EXPECT_TRUE(
      chooses_flushed({.group_warm = 55e-6, .group_cold = 51e-6, .all_warm = 110e-6, .all_cold = 100e-6}));
}

TEST(CacheChoice, DoesNotFlushDataThatTheProgramFindsInTheCaches) {
  EXPECT_FALSE(
      chooses_flushed({.group_warm = 55e-6, .group_cold = 51e-6, .all_warm = 101e-6, .all_cold = 107e-6}));
}

TEST(CacheChoice, DoesNotFlushWhereOnePilotDoesNotGain) {
  AddedTimes times{.group_warm = 55e-6, .group_cold = 51e-6, .all_warm = 101e-6, .all_cold = 101e-6};
  EXPECT_TRUE(chooses_flushed(times));
  times.second_pilot = 4e-6;
  EXPECT_FALSE(chooses_flushed(times));
}

TEST(CacheChoice, DoesNotFlushForALittle) {
  EXPECT_FALSE(
      chooses_flushed({.group_warm = 55e-6, .group_cold = 54e-6, .all_warm = 101e-6, .all_cold = 101e-6}));
}

}  // namespace
}  // namespace kjoule
