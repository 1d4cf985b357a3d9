#include "measure/time/plan.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers/statistics.hpp"
#include "measure/time/clocked_passes.hpp"
#include "measure/time/graph_length.hpp"
#include "measure/time/replay_track.hpp"
#include "measure/time/stamped_whole.hpp"

namespace kjoule {

namespace {

constexpr double kBlock_s = 0.02;      ///< shortest duration of a block of repeats
constexpr double kReplaying_s = 0.03;  ///< approximate duration of all replays of a graph
constexpr int kFewestReplays = 3, kMostReplays = 4;
constexpr int kReplaysOfEmpty = 9;
/// In a program with ranks, iterations with fewer launches than this are preceded by two more iterations,
/// longer ones by one, so that no stamp is in the first iteration of the graph.
constexpr size_t kShortForRanks = 64;
/// Largest difference, as a share, between the times of an iteration from restored memory and from its own
/// results, up to which both count as the same work. Caches alone make a difference of some percent.
constexpr double kSameWork = 0.1;

int repeats_for(double seconds, double block_s) {
  return seconds > 0 ? std::max(1, static_cast<int>(std::ceil(block_s / seconds))) : 1;
}

ClockedPlan make_clocked_plan(Device& device, const TimedIteration& iteration) {
  ClockedPlan plan;
  if (device.info().runs_program) plan.iterations = repeats_for(once_s(*device.open(Iteration{})), kBlock_s);
  const std::vector<ClockedPass> passes = clocked_passes(iteration);
  plan.passes = repeats_for(once_s(*device.open(passes.front().sequence)), kBlock_s);
  plan.segments = repeats_for(once_s(*device.open(in_one_segment(iteration))), kBlock_s);
  return plan;
}

/// Returns whether memory must be restored after each iteration: whether the iteration takes another time
/// from restored memory (`restored_s`) than from its own results.
bool needs_restoring(double restored_s, double repeated_s) {
  return std::abs(restored_s - repeated_s) > kSameWork * restored_s;
}

/// Sets the undisturbed whole, and whether memory is restored after each iteration. Returns the time from the
/// begin of one iteration to the begin of the next, s.
double time_whole_for(Device& device, TimedIteration iteration, StampedPlan& plan) {
  plan.undisturbed_s = time_undisturbed_whole(device, iteration);
  if (!iteration.changes_inputs || !iteration.excluded.empty() || iteration.may_start_early.contains(0))
    return plan.undisturbed_s;
  iteration.restores = true;
  const double restored_s = time_undisturbed_whole(device, iteration);
  plan.restores = needs_restoring(restored_s, plan.undisturbed_s);
  if (!plan.restores) return plan.undisturbed_s;
  plan.undisturbed_s = restored_s;
  return restored_s + steady_repeat_s(*device.open(SteadyWork{0}), kFewestReplays);
}

StampedPlan make_stamped_plan(Device& device, const TimedIteration& iteration) {
  StampedPlan plan;
  const double cycle_s = time_whole_for(device, iteration, plan);
  plan.empty_kernels_s = time_empty_kernels(device);
  if (iteration.is_closed()) {
    const size_t length = iteration.order().size();
    plan.iterations = static_cast<int>(iterations_to_time(cycle_s, length));
    plan.lead_iterations = static_cast<int>(lead_iterations(cycle_s, length));
    if (iteration.waits_for_ranks) plan.lead_iterations += length < kShortForRanks ? 2 : 1;
  } else {
    plan.lead_iterations = 0;
  }
  const double replay_s = cycle_s * (plan.iterations + plan.lead_iterations);
  plan.replays = std::clamp(repeats_for(replay_s, kReplaying_s), kFewestReplays, kMostReplays);
  return plan;
}

}  // namespace

Plan make_plan(Device& device, const TimedIteration& iteration) {
  if (device.info().can_time_between_launches) return make_clocked_plan(device, iteration);
  return make_stamped_plan(device, iteration);
}

double time_whole(Device& device, const TimedIteration& iteration) {
  if (!device.info().can_time_between_launches) return time_undisturbed_whole(device, iteration);
  const auto track = device.open(in_one_segment(iteration));
  return median(replay(*track, std::max(kReplaysOfEmpty, repeats_for(once_s(*track), kBlock_s))).seconds);
}

double time_empty_kernels(Device& device) {
  const auto track = device.open(EmptyKernels{});
  replay(*track, 1);
  return median(replay(*track, kReplaysOfEmpty).seconds);
}

}  // namespace kjoule
