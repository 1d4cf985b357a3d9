#pragma once
#include <string>
#include <vector>

#include "recording/activity.hpp"

namespace kjoule {

/// What the device's own timeline says of the recorded iteration: an account that no measurement of ours
/// enters.
struct Observation {
  Audit audit;                      ///< the recorded launches against what ran
  std::vector<Activity> iteration;  ///< as the program ran it, by begin; device time
  /// Each recorded launch inside the played whole: its duration and the gap before it, s, median over plays.
  std::vector<double> launch_s;
  std::string launch_s_missing;  ///< why launch_s is empty
};

template <class Fields>
void describe(Fields& fields, Observation& observation) {
  fields("audit", observation.audit);
  fields("iteration", observation.iteration);
  fields("launch_s", observation.launch_s);
  fields("launch_s_missing", observation.launch_s_missing);
}

}  // namespace kjoule
