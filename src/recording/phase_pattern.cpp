#include "recording/phase_pattern.hpp"

namespace kjoule {

void LastLaunches::add(const LaunchIdentity& launch) {
  launches_.push_back(launch);
  if (launches_.size() > kMost) launches_.pop_front();
}

bool LastLaunches::ends_with(std::span<const ExpectedLaunch> launches) const {
  if (launches.size() > launches_.size()) return false;
  auto last = launches_.end() - std::ssize(launches);
  for (const ExpectedLaunch& expected : launches)
    if (!expected.matches(*last++)) return false;
  return true;
}

bool may_begin(const PhasePattern& phase, const LaunchIdentity& next, const LastLaunches& last) {
  return !phase.iteration.empty() && phase.iteration.front().matches(next) && last.ends_with(phase.before);
}

}  // namespace kjoule
