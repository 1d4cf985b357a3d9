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
  double time_s = 0;                  ///< time of these launches per iteration, in context
};

/// The parameters of measuring energy, and the readings that all blocks use. A plan is made once per run, and
/// stored with the results.
struct EnergyPlan {
  static constexpr const char* kKind = "energy_plan";

  std::vector<EnergyGroup> groups;
  double iteration_s = 0;  ///< approximate time of one iteration
  int iterations = 2;      ///< iterations in one repeat of the whole, before memory is restored
  /// Only for a window that is not an iteration, and for an iteration that is replayed from restored memory
  /// only: `lead` is the number of launches in the window's lead, which precede the measured launches in each
  /// reading. `end` is the first launch of its tail; the tail is not replayed.
  LaunchIndex lead = 0;
  std::optional<LaunchIndex> end{};
  /// Whether the groups' iterations begin with flushed caches. Without flushing, the data of an iteration
  /// that lacks some launches may fit into a cache, although the data of the whole do not; the remaining
  /// launches would then consume less energy than in the whole. For a window that is not an iteration, the
  /// readings of the whole and of restoring memory begin with flushed caches, too, because the data of the
  /// lead alone may also fit into a cache.
  bool cold = false;
  /// Only for one of several ranks: time for which it waits for the other ranks in one iteration, s.
  std::optional<double> waiting_s{};
  ReadingWindow window{};
  /// Readings of restoring memory, repeated back to back; empty if nothing is restored. For a window that is
  /// not an iteration, these readings include the lead.
  std::vector<SteadyReading> restoring{};
  /// Readings of restoring memory with a pause, which show the power that the device consumes in pauses.
  std::vector<SteadyReading> paused{};
  int64_t end_ns = 0;  ///< time at which the plan was complete
  /// Facts of each meter. The first meter gives the results; all others are reported for comparison.
  std::vector<nlohmann::json> meters{};
};

/// Returns whether, in addition to the groups, iterations with and without all launches together are read.
/// This is not the case if there is only one group, or if the groups' iterations flush the caches but the
/// whole does not: the energy of flushing could then not be separated from the energy of the copies.
inline bool reads_all_together(const EnergyPlan& plan) {
  return plan.groups.size() > 1 && (!plan.cold || plan.end);
}

/// Returns the number of pairs of works (an iteration with and one without some launches): one pair for each
/// group, and one for all launches together if reads_all_together().
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

/// Return the works of a plan. whole_of(): the whole. marked_of(): an iteration in which copies follow the
/// given launches, or replace these launches if `left_out`. restoring_of(): the part of the other works that
/// contains no measured launches, which is restoring memory and the lead of a window.
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
  /// Index of the group; equal to the number of groups if the block is for all launches together.
  int group = 0;
  SteadyReading whole{};  ///< each repeat contains EnergyPlan::iterations iterations
  std::vector<SteadyReading> with{}, without{};
  int64_t spent_ns = 0;  ///< measuring time of this block and all earlier blocks together
};

/// Readings of the whole, if the energies of kernels cannot be measured.
struct EnergyWholes {
  static constexpr const char* kKind = "energy_wholes";

  std::vector<SteadyReading> readings;  ///< each repeat contains EnergyPlan::iterations iterations
};

template <class Fields>
void describe(Fields& fields, EnergyWholes& wholes) {
  fields("readings", wholes.readings);
}
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
  fields.unless_empty("waiting_s", plan.waiting_s);
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
