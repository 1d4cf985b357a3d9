#include "measure/timed_iteration.hpp"

namespace kjoule {

std::vector<LaunchIndex> TimedIteration::order() const {
  std::vector<LaunchIndex> order;
  for (LaunchIndex i = 0; i < launches; ++i)
    if (!excluded.contains(i)) order.push_back(i);
  return order;
}

std::vector<bool> TimedIteration::may_stamp() const {
  const std::vector<LaunchIndex> played = order();
  std::vector<bool> may;
  for (size_t place = 0; place < played.size(); ++place)
    may.push_back(!early.contains(played[(place + 1) % played.size()]));
  return may;
}

TimedIteration timed_iteration(const Recording& recording, std::set<LaunchIndex> excluded) {
  TimedIteration iteration{recording.launches.size(), std::move(excluded), {}};
  for (LaunchIndex i = 0; i < recording.launches.size(); ++i)
    if (recording.launches[i].detail.value("programmatic", false)) iteration.early.insert(i);
  return iteration;
}

}  // namespace kjoule
