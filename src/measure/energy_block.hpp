#pragma once
#include <nlohmann/json.hpp>
#include <vector>

#include "measure/steady_loop.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// Kernels whose energy is measured together: one, or several small ones.
struct EnergyGroup {
  std::vector<uint32_t> kernels;      ///< in the table
  std::vector<LaunchIndex> launches;  ///< all their places, in order
  double time_s = 0;                  ///< in context
};

/// What energy is measured with. Made once and kept with the results.
struct EnergyPlan {
  static constexpr const char* kKind = "energy_plan";

  std::vector<EnergyGroup> groups;
  double iteration_s = 0;  ///< about what one takes
  int iterations = 2;      ///< of the whole, in a row before its memory is put back
  /// Whether groups are measured in iterations that begin with cold caches. One that lacks launches may fit
  /// into a cache that the whole does not fit into, and then its other launches would cost less.
  bool cold = false;
  double settle_s = 0, span_s = 0;  ///< of a reading: before what is read, and of what is read
  /// Of the memory put back alone, again and again; none where nothing is put back.
  std::vector<SteadyReading> put_back{};
  /// Of that with a pause: what the device draws while it waits.
  std::vector<SteadyReading> paused{};
  int64_t end_ns = 0;                    ///< when the plan was complete
  std::vector<nlohmann::json> meters{};  ///< what each is; the first one counts, the others stand beside
};

/// Readings that are compared with each other: of the whole, and of an iteration with and without the group's
/// launches in the order with, without, without, with, so that steady warming falls out. The unit of
/// resuming.
struct EnergyBlock {
  static constexpr const char* kKind = "energy_block";

  int number = 0;
  int group = 0;
  SteadyReading whole{};  ///< a repeat is EnergyPlan::iterations of them
  std::vector<SteadyReading> with{}, without{};
  int64_t spent_ns = 0;  ///< measuring time of this and all earlier blocks
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
  fields("cold", plan.cold);
  fields("settle_s", plan.settle_s);
  fields("span_s", plan.span_s);
  fields("meters", plan.meters);
  fields("put_back", plan.put_back);
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
