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

StampedPlan make_stamped_plan(Device& device, const TimedIteration& iteration) {
  StampedPlan plan;
  plan.undisturbed_s = time_undisturbed_whole(device, iteration);
  plan.empty_kernels_s = time_empty_kernels(device);
  if (iteration.is_closed()) {
    const size_t length = iteration.order().size();
    plan.iterations = static_cast<int>(iterations_to_time(plan.undisturbed_s, length));
    plan.lead_iterations = static_cast<int>(lead_iterations(plan.undisturbed_s, length));
    if (iteration.waits_for_ranks) plan.lead_iterations += length < kShortForRanks ? 2 : 1;
  } else {
    plan.lead_iterations = 0;
  }
  const double replay_s = plan.undisturbed_s * (plan.iterations + plan.lead_iterations);
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
