#pragma once
#include <vector>

#include "activity_log.hpp"
#include "call.hpp"
#include "graph_track.hpp"

namespace kjoule::driver {

/// The recorded calls against what the device ran. Nodes of a graph are compared as a set: the records may
/// name any stream for them.
Audit audited(const std::vector<Call>& calls, std::vector<Activity> activities, const ActivityLog& log,
              CUcontext context);

/// What each launch takes inside the played whole, by the device's own records: duration and the gap before
/// it, s, median over some plays. Throws Error when the records do not show the launches.
std::vector<double> times_in_whole(const Stage& stage, ActivityLog& log);

}  // namespace kjoule::driver
