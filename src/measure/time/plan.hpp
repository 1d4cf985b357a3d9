#pragma once
#include <variant>

#include "device/device.hpp"
#include "measure/time/timed_iteration.hpp"

namespace kjoule {

/// Numbers of repeats of each part of a round, on a device whose clock can be read between launches. Short
/// programs are repeated so often that the time for reading the clock is small compared with the measured
/// time.
struct ClockedPlan {
  static constexpr const char* kType = "clocked";

  int iterations = 1;  ///< number of runs of the program's own iteration
  int segments =
      1;           ///< number of replays of the recorded launches as one segment, before and after each pass
  int passes = 1;  ///< number of replays of each pass
};

/// Lengths of graphs with stamps and numbers of their replays, and the times that were measured before the
/// first of these graphs was made.
struct StampedPlan {
  static constexpr const char* kType = "stamped";

  int iterations = 1;        ///< number of iterations between the two stamps of the whole
  int lead_iterations = 1;   ///< number of iterations before the first stamp; 0 if the window has a lead
  int replays = 4;           ///< number of replays of each graph
  bool restores = false;     ///< TimedIteration::restores
  double undisturbed_s = 0;  ///< the undisturbed whole (glossary)
  /// Time of the chain of empty kernels (EmptyKernels) before the rounds, but after `undisturbed_s` was
  /// measured. The report compares this time with the time of the same chain after the rounds.
  double empty_kernels_s = 0;
};

/// The plan of a run's rounds. A plan is made once per run, and stored with the results, so that a resumed
/// run measures the same rounds.
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
  fields("replays", plan.replays);
  fields.unless_empty("restores", plan.restores);
  fields("undisturbed_s", plan.undisturbed_s);
  fields("empty_kernels_s", plan.empty_kernels_s);
}
template <class Fields>
void describe(Fields& fields, Plan& plan) {
  fields.one_of("clock", plan);
}

/// Returns the plan for the device and the iteration. To make the plan, times each part of a round once.
Plan make_plan(Device& device, const TimedIteration& iteration);

/// Returns the time of the whole, s. On a CPU, this is the time of the recorded launches in one segment; on a
/// GPU, the undisturbed whole.
double time_whole(Device& device, const TimedIteration& iteration);

/// Returns the time of the chain of empty kernels (EmptyKernels), s: the median of nine replays.
double time_empty_kernels(Device& device);

}  // namespace kjoule
