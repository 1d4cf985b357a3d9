#include "schedule.hpp"

#include <algorithm>
#include <cstdlib>

namespace kjoule::inject {

namespace {

constexpr int kMostBeyond = 16;

class Scheduler {
 public:
  explicit Scheduler(int launches) : launches_(launches), last_(launches + states_beyond(launches)) {}

  void add(const Segment& segment, int number) {
    if (const LaunchIndex* first = first_launch(segment)) go_to(nearest(static_cast<int>(*first)));
    for (const LaunchIndex launch : segment.lead) play(static_cast<int>(launch));
    steps_.emplace_back(Edge{number, true});
    for (const LaunchIndex launch : segment.timed) play(static_cast<int>(launch));
    steps_.emplace_back(Edge{number, false});
  }

  std::vector<ScheduleStep> finished() {
    go_to(0);
    return std::move(steps_);
  }

 private:
  static const LaunchIndex* first_launch(const Segment& segment) {
    if (!segment.lead.empty()) return &segment.lead.front();
    return segment.timed.empty() ? nullptr : &segment.timed.front();
  }

  bool dirty() const { return dirty_from_ < dirty_to_; }
  int lowest(int target) const { return dirty() ? std::min(target, dirty_from_) : target; }

  /// Launches whose effects must be put back or played to come to `target`.
  int distance(int target) const {
    const int low = std::min(lowest(target), at_);
    return std::max(at_, dirty_to_) - low + (target - low);
  }

  /// Of the positions of a launch, in this iteration and the next, the one that is reached soonest.
  int nearest(int launch) const {
    const int next = launch + launches_;
    return next < last_ && distance(next) < distance(launch) ? next : launch;
  }

  void go_to(int target) {
    if (dirty() || target < at_) {
      const int low = lowest(target);
      const int high = std::max(at_, dirty_to_);
      if (low < high) steps_.emplace_back(PutBack{high, low});
      at_ = low;
      dirty_from_ = dirty_to_ = 0;
    }
    while (at_ < target) steps_.emplace_back(PlayLaunch{static_cast<LaunchIndex>(at_++ % launches_)});
  }

  void play(int launch) {
    steps_.emplace_back(PlayLaunch{static_cast<LaunchIndex>(launch)});
    if (!dirty() && at_ < last_ && at_ % launches_ == launch) {
      ++at_;
      return;
    }
    dirty_from_ = dirty() ? std::min(dirty_from_, launch) : launch;
    dirty_to_ = std::max(dirty_to_, launch + 1);
  }

  int launches_;
  int last_;
  int at_ = 0;  ///< the state, but for what the launches in [dirty_from_, dirty_to_) wrote out of turn
  int dirty_from_ = 0;
  int dirty_to_ = 0;
  std::vector<ScheduleStep> steps_;
};

}  // namespace

int states_beyond(int launches) {
  return std::min(launches, kMostBeyond);
}

std::vector<ScheduleStep> schedule(const Sequence& sequence, int launches) {
  Scheduler scheduler(launches);
  for (size_t s = 0; s < sequence.segments.size(); ++s)
    scheduler.add(sequence.segments[s], static_cast<int>(s));
  return scheduler.finished();
}

}  // namespace kjoule::inject
