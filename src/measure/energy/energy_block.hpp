#pragma once
#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "measure/meters/steady_loop.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// Kernels whose energy is measured in the same readings: one large kernel, or several small ones.
struct EnergyGroup {
  std::vector<uint32_t> kernels;      ///< indices in the kernel table
  std::vector<LaunchIndex> launches;  ///< all places of these kernels, in order
  double time_s = 0;                  ///< their time per iteration, in context
};

/// The parameters of measuring energy, and the readings that all blocks use. It is made once and stored with
/// the results.
struct EnergyPlan {
  static constexpr const char* kKind = "energy_plan";

  std::vector<EnergyGroup> groups;
  double iteration_s = 0;  ///< approximate time of one iteration
  int iterations = 2;      ///< iterations in one repeat of the whole, before memory is restored
  /// For a window that is no iteration: the number of launches of its lead, which precede the measured ones
  /// in each reading, and the first launch of its tail, which is not replayed.
  LaunchIndex lead = 0;
  std::optional<LaunchIndex> end{};
  /// Whether the groups' iterations begin with flushed caches. Without flushing, an iteration without some
  /// launches may fit into a cache into which the whole does not fit; its other launches would then consume
  /// less energy. For a window that is no iteration, all readings begin with flushed caches, because its lead
  /// alone may also fit.
  bool cold = false;
  ReadingWindow window{};
  /// Readings of restoring memory, repeated back to back; empty if nothing is restored. For a window that is
  /// no iteration, they include the lead.
  std::vector<SteadyReading> restoring{};
  /// Readings of restoring memory with a pause, which show the power that the device consumes in pauses.
  std::vector<SteadyReading> paused{};
  int64_t end_ns = 0;  ///< time at which the plan was complete
  /// Facts of each meter. The first one gives the results; the others are reported for comparison.
  std::vector<nlohmann::json> meters{};
};

/// Returns whether iterations with and without all launches together are also read. They are not if there is
/// only one group. They are also not if only the groups' iterations flush the caches, and not the whole,
/// because the energy of flushing could not be separated from that of the copies.
inline bool reads_all_together(const EnergyPlan& plan) {
  return plan.groups.size() > 1 && (!plan.cold || plan.end);
}

/// Returns the number of pairs of iterations, with and without launches: one for each group, and one for all
/// launches together.
inline size_t pairs_of(const EnergyPlan& plan) {
  return plan.groups.size() + (reads_all_together(plan) ? 1 : 0);
}

/// Returns the launches of all groups, in order.
inline std::vector<LaunchIndex> all_launches(const EnergyPlan& plan) {
  std::vector<LaunchIndex> all;
  for (const EnergyGroup& group : plan.groups)
    all.insert(all.end(), group.launches.begin(), group.launches.end());
  std::ranges::sort(all);
  return all;
}

/// Return the works of a plan: the whole; an iteration in which copies follow the given launches, or replace
/// them if `left_out`; and the part of both without measured launches (restoring memory, and a window's
/// lead).
inline SteadyWork whole_of(const EnergyPlan& plan) {
  return {.plain = plan.iterations, .flushed = plan.cold && plan.end, .end = plan.end};
}
inline SteadyWork marked_of(const EnergyPlan& plan, const std::vector<LaunchIndex>& launches, bool left_out) {
  return {.plain = 0, .marked = launches, .left_out = left_out, .flushed = plan.cold, .end = plan.end};
}
inline SteadyWork restoring_of(const EnergyPlan& plan) {
  if (!plan.end) return {.plain = 0};
  return {.plain = 1, .flushed = plan.cold, .end = plan.lead};
}

/// Readings of the whole, and of an iteration with and without the launches of one group. Their order is
/// with, without, without, with, so that the effect of steady warming cancels. An interrupted run continues
/// after its last complete block.
struct EnergyBlock {
  static constexpr const char* kKind = "energy_block";

  int number = 0;
  int group = 0;          ///< index of the group; for all launches together, the number of groups
  SteadyReading whole{};  ///< each repeat contains EnergyPlan::iterations iterations
  std::vector<SteadyReading> with{}, without{};
  int64_t spent_ns = 0;  ///< measuring time of this block and all earlier ones
};

template <class Fields>
void describe(Fields& fields, EnergyGroup& group) {
  fields("kernels", group.kernels);
  fields("launches", group.launches);
  fields("time_s", group.time_s);
}
template <class Fields>
void describe(Fields& fields, EnergyPlan& plan) {
  fields("groups", plan.groups);
  fields("iteration_s", plan.iteration_s);
  fields("iterations", plan.iterations);
  fields.unless_empty("lead", plan.lead);
  fields.unless_empty("end", plan.end);
  fields("cold", plan.cold);
  fields("settle_s", plan.window.settle_s);
  fields("span_s", plan.window.span_s);
  fields("meters", plan.meters);
  fields("restore", plan.restoring);
  fields("paused", plan.paused);
  fields.unless_empty("end_ns", plan.end_ns);
}
template <class Fields>
void describe(Fields& fields, EnergyBlock& block) {
  fields("block", block.number);
  fields("group", block.group);
  fields("whole", block.whole);
  fields("with", block.with);
  fields("without", block.without);
  fields.derived("begin_ns", block.whole.begin_ns);
  fields.derived("end_ns", block.with.empty() ? block.whole.end_ns : block.with.back().end_ns);
  fields("spent_ns", block.spent_ns);
}

}  // namespace kjoule
