#pragma once
#include <variant>

#include "device/device.hpp"
#include "measure/timed_iteration.hpp"

namespace kjoule {

/// How often each part of a round is repeated on a device whose clock may be read between launches, so that
/// short programs are not drowned in the cost of a reading.
struct ClockedPlan {
  static constexpr const char* kType = "clocked";

  int iterations = 1;  ///< runs of the program's own iteration, before and after each pass
  int segments = 1;    ///< plays of the recorded launches in one segment
  int passes = 1;      ///< plays of each pass over the launches
};

/// What graphs with stamps consist of, and what was measured before the first of them was made.
struct StampedPlan {
  static constexpr const char* kType = "stamped";

  int iterations = 1;          ///< between the first and the last stamp
  int lead_iterations = 1;     ///< before the first stamp
  int plays = 4;               ///< of each graph
  double undisturbed_s = 0;    ///< one iteration, while no graph but its own exists
  double empty_kernels_s = 0;  ///< EmptyKernels, after that: to compare with the same later
};

/// Made once and kept with the results: a resumed run goes on with the same rounds.
using Plan = std::variant<ClockedPlan, StampedPlan>;

template <class Fields>
void describe(Fields& fields, ClockedPlan& plan) {
  fields("iterations", plan.iterations);
  fields("segments", plan.segments);
  fields("passes", plan.passes);
}
template <class Fields>
void describe(Fields& fields, StampedPlan& plan) {
  fields("iterations", plan.iterations);
  fields("lead_iterations", plan.lead_iterations);
  fields("plays", plan.plays);
  fields("undisturbed_s", plan.undisturbed_s);
  fields("empty_kernels_s", plan.empty_kernels_s);
}
template <class Fields>
void describe(Fields& fields, Plan& plan) {
  fields.one_of("clock", plan);
}

/// Times each part once.
Plan make_plan(Device& device, const TimedIteration& iteration);

/// Returns the seconds of one iteration, timed without its kernels: the program's own iteration on a CPU, the
/// undisturbed whole on a GPU.
double time_whole(Device& device, const TimedIteration& iteration);

/// Seconds of EmptyKernels{}, median of some plays.
double time_empty_kernels(Device& device);

}  // namespace kjoule
