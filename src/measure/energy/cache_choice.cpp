#include "measure/energy/cache_choice.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/numbers/statistics.hpp"
#include "measure/time/replay_track.hpp"

namespace kjoule {

namespace {

constexpr size_t kPilots = 3;
constexpr double kPilot_s = 0.02;
/// Flushed caches are chosen if, in each pilot with them, the times differ from those in context by less than
/// this share of the difference in every pilot with warm caches. Otherwise warm caches are kept, because the
/// caches of the whole are seldom cold.
constexpr double kColdMends = 0.7;

/// Times of the pilots, s per iteration.
using PilotTimes = std::vector<double>;

/// Returns the time of the iteration with these launches, minus that of the iteration in which copies replace
/// them.
PilotTimes differences(Device& device, const std::vector<LaunchIndex>& launches, EnergyPlan plan, bool cold) {
  plan.cold = cold;
  const auto with = device.open(marked_of(plan, launches, false));
  const auto without = device.open(marked_of(plan, launches, true));
  const int repeats = std::max(1, static_cast<int>(std::ceil(kPilot_s / plan.iteration_s)));
  PilotTimes times(kPilots);
  for (double& seconds : times)
    seconds = steady_repeat_s(*with, repeats) - steady_repeat_s(*without, repeats);
  return times;
}

/// Returns the sum over groups of the difference between their time and their time in context.
PilotTimes off_context(Device& device, const EnergyPlan& plan, bool cold) {
  PilotTimes off(kPilots);
  for (const EnergyGroup& group : plan.groups) {
    const PilotTimes found = differences(device, group.launches, plan, cold);
    for (size_t i = 0; i < kPilots; ++i) off[i] += std::abs(found[i] - group.time_s);
  }
  return off;
}

/// Returns the time that flushed caches add to all launches together.
double added_by_flushing(Device& device, const EnergyPlan& plan) {
  const std::vector<LaunchIndex> launches = all_launches(plan);
  const PilotTimes cold = differences(device, launches, plan, true);
  const PilotTimes warm = differences(device, launches, plan, false);
  return mean(cold) - mean(warm);
}

/// Returns the difference between the time of a window, without its lead, and its time in context.
double window_off_context(Device& device, EnergyPlan plan, bool cold) {
  plan.cold = cold;
  const auto whole = device.open(whole_of(plan)), restoring = device.open(restoring_of(plan));
  const int repeats = std::max(1, static_cast<int>(std::ceil(kPilot_s / plan.iteration_s)));
  return std::abs(steady_repeat_s(*whole, repeats) - steady_repeat_s(*restoring, repeats) - plan.iteration_s);
}

}  // namespace

void choose_caches(Device& device, EnergyPlan& plan) {
  if (plan.end) {
    plan.cold = window_off_context(device, plan, true) < window_off_context(device, plan, false);
    return;
  }
  const double off_cold = std::ranges::max(off_context(device, plan, true));
  const double most = kColdMends * std::ranges::min(off_context(device, plan, false));
  plan.cold = off_cold < most && off_cold + added_by_flushing(device, plan) < most;
}

}  // namespace kjoule
