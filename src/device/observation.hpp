#pragma once
#include <string>
#include <vector>

#include "recording/activity.hpp"

namespace kjoule {

/// The device's own timeline of the recorded iteration. It does not depend on kjoule's measurements.
struct Observation {
  Audit audit;  ///< differences between the recorded launches and the activities that the device reported
  /// Activities of the iteration as the program ran it, ordered by begin; the times are on the device's
  /// clock.
  std::vector<Activity> iteration;
  /// Time of each recorded launch while the whole is replayed, in s: the duration of the launch plus the gap
  /// before the launch; medians over the replays.
  std::vector<double> launch_s;
  double replay_gaps_s = 0;      ///< sum of all gaps within the replayed whole, in s; 0 if launch_s is empty
  std::string launch_s_missing;  ///< the reason if launch_s is empty; otherwise empty
};

template <class Fields>
void describe(Fields& fields, Observation& observation) {
  fields("audit", observation.audit);
  fields("iteration", observation.iteration);
  fields("launch_s", observation.launch_s);
  fields.unless_empty("replay_gaps_s", observation.replay_gaps_s);
  fields("launch_s_missing", observation.launch_s_missing);
}

}  // namespace kjoule
