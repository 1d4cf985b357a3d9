#pragma once
#include <string>
#include <vector>

#include "recording/activity.hpp"

namespace kjoule {

/// The device's own timeline of the recorded iteration. It does not depend on kjoule's measurements.
struct Observation {
  Audit audit;  ///< comparison of the recorded launches with the activities that ran
  /// Activities of the iteration as the program ran it, ordered by begin; the times are on the device's
  /// clock.
  std::vector<Activity> iteration;
  /// Time of each recorded launch within the replayed whole, in s: its duration plus the gap before it, as
  /// the median over the replays.
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
