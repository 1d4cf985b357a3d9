#pragma once
#include <nlohmann/json.hpp>
#include <variant>

#include "device/device.hpp"
#include "measure/timed_iteration.hpp"

namespace kjoule {

/// How often each part of a round is repeated on a device whose clock may be read between launches, so that
/// short programs are not drowned in the cost of a reading.
struct ClockedPlan {
  int iterations = 1;  ///< runs of the program's own iteration, before and after each pass
  int segments = 1;    ///< plays of the recorded launches in one segment
  int passes = 1;      ///< plays of each pass over the launches
};

/// What graphs with stamps consist of, and what was measured before the first of them was made.
struct StampedPlan {
  int iterations = 1;          ///< between the first and the last stamp
  int lead_iterations = 1;     ///< before the first stamp
  int plays = 4;               ///< of each graph
  double undisturbed_s = 0;    ///< one iteration, while no graph but its own exists
  double empty_kernels_s = 0;  ///< EmptyKernels, after that: to compare with the same later
};

/// Made once and kept with the results: a resumed run goes on with the same rounds.
using Plan = std::variant<ClockedPlan, StampedPlan>;

nlohmann::json to_row(const Plan& plan);
Plan plan_from_row(const nlohmann::json& row);

/// Times each part once.
Plan make_plan(Device& device, const TimedIteration& iteration);

/// Returns the seconds of one iteration, timed without its kernels: the program's own iteration on a CPU, the
/// undisturbed whole on a GPU.
double time_whole(Device& device, const TimedIteration& iteration);

/// Seconds of EmptyKernels{}, median of some plays.
double time_empty_kernels(Device& device);

}  // namespace kjoule
