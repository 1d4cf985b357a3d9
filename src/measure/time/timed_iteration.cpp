#include "measure/time/timed_iteration.hpp"

#include "base/json/whole_number.hpp"

namespace kjoule {

namespace {

constexpr int64_t kWordBytes = 8;

bool runs_on_copy_engine(const Launch& launch) {
  if (launch.name.starts_with("memcpy HtoD") || launch.name.starts_with("memcpy DtoH")) return true;
  return launch.name == "memset" && whole_number_or<int64_t>(launch.detail, "bytes", 0) <= kWordBytes;
}

}  // namespace

std::vector<LaunchIndex> TimedIteration::order() const {
  std::vector<LaunchIndex> order;
  for (LaunchIndex i = 0; i < launches; ++i)
    if (!excluded.contains(i)) order.push_back(i);
  if (restores) order.push_back(static_cast<LaunchIndex>(launches));
  return order;
}

uint32_t TimedIteration::first_measured() const {
  return static_cast<uint32_t>(edges.lead);  // launches that are not measured are never excluded
}

uint32_t TimedIteration::end_measured() const {
  return static_cast<uint32_t>(launches - excluded.size() - edges.tail);
}

std::vector<bool> TimedIteration::may_stamp() const {
  const std::vector<LaunchIndex> replayed = order();
  std::vector<bool> may;
  for (size_t place = 0; place < replayed.size(); ++place)
    may.push_back(!may_start_early.contains(replayed[(place + 1) % replayed.size()]));
  return may;
}

std::vector<std::vector<LaunchIndex>> TimedIteration::timed_together_groups() const {
  const std::vector<LaunchIndex> replayed = order();
  const std::vector<bool> may = may_stamp();
  std::vector<std::vector<LaunchIndex>> groups(1);
  for (size_t place = 0; place < replayed.size(); ++place) {
    groups.back().push_back(replayed[place]);
    if (may[place]) groups.emplace_back();
  }
  if (groups.size() > 1) {
    groups.front().insert(groups.front().begin(), groups.back().begin(), groups.back().end());
    groups.pop_back();
  }
  std::erase_if(groups, [](const auto& group) { return group.size() < 2; });
  return groups;
}

std::vector<bool> TimedIteration::switches_engine() const {
  std::vector<bool> switches;
  for (const LaunchIndex launch : order()) switches.push_back(engine_switches.contains(launch));
  return switches;
}

TimedIteration timed_iteration(const Recording& recording, std::set<LaunchIndex> excluded) {
  TimedIteration iteration{
      recording.launches.size(), std::move(excluded), {}, {}, {}, recording.edges, false};
  iteration.waits_for_ranks = recording.program.contains("ranks");
  for (LaunchIndex i = 0; i < recording.launches.size(); ++i) {
    if (recording.launches[i].detail.value("programmatic", false)) iteration.may_start_early.insert(i);
    if (recording.launches[i].detail.value("cooperative", false)) iteration.cooperative.insert(i);
    if (runs_on_copy_engine(recording.launches[i])) iteration.engine_switches.insert(i);
  }
  return iteration;
}

}  // namespace kjoule
