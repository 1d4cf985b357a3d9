#include "compare/iteration/timeline_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "recording/launch_match.hpp"
#include "run/run_rows.hpp"

namespace kjoule {

namespace {

/// Removes the activities of launches that are not measured: those of the window's lead and tail.
void keep_measured(const Recording& recording, const KernelTable& table, std::vector<Activity>& activities) {
  if (recording.edges.is_closed()) return;
  const std::vector<std::optional<LaunchIndex>> launches = launches_of(recording, activities);
  std::vector<Activity> kept;
  for (size_t i = 0; i < activities.size(); ++i)
    if (!launches[i] || table.kernel_at(*launches[i])) kept.push_back(std::move(activities[i]));
  activities = std::move(kept);
}

}  // namespace

std::optional<TimelineResult> timeline_result(const RowList& rows, const Recording& recording) {
  const size_t launches = recording.launches.size();
  TimelineResult result;
  result.has_waited_for_ranks = recording.program.contains("ranks");
  try {
    std::optional<Observation> seen = observation_in(rows);
    if (!seen) return std::nullopt;
    keep_measured(recording, kernel_table(recording), seen->iteration);
    result.audit = seen->audit;
    result.launch_s = seen->launch_s;
    result.replay_gaps_s = seen->replay_gaps_s;
    result.launch_s_missing = seen->launch_s_missing;
    const auto timed = [](const Activity& activity) { return activity.has_times(); };
    if (std::all_of(seen->iteration.begin(), seen->iteration.end(), timed))
      result.totals = timeline_totals(seen->iteration);
  } catch (const Error& error) {
    result.error = error.what();
  }
  if (!result.launch_s.empty() && result.launch_s.size() != launches) {
    result.launch_s_missing =
        fmt::format("the device's timeline contains times of {} launches, but the iteration has {}",
                    result.launch_s.size(), launches);
    result.launch_s.clear();
  }
  return result;
}

}  // namespace kjoule
