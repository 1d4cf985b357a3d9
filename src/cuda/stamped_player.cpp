#include "cuda/stamped_player.hpp"

namespace kjoule::driver {

namespace {

/// Returns whether the launches are whole iterations in order, except that the last one may be incomplete.
bool is_in_order(const std::vector<LaunchIndex>& launches, size_t iteration) {
  for (size_t place = 0; place < launches.size(); ++place)
    if (launches[place] != place % iteration) return false;
  return true;
}

}  // namespace

StampedPlayer::StampedPlayer(const Stage& stage, const Stamped& work)
    : StampedTrack(stage, work.after.size()), in_order_(is_in_order(work.launches, stage.calls.size())) {
  capture([&] { issue_work(work); },
          [&] {
            if (in_order_) issue_end(work.launches.size());
          });
}

void StampedPlayer::issue_work(const Stamped& work) {
  size_t stamp = 0;
  for (size_t place = 0; place < work.launches.size(); ++place) {
    issue(stage_.calls[work.launches[place]], stage_.capturing);
    if (stamp == work.after.size() || work.after[stamp] != place) continue;
    issue_stamp();
    ++stamp;
  }
}

void StampedPlayer::issue_end(size_t launches) const {
  const size_t iteration = stage_.calls.size();
  for (size_t place = launches; place % iteration != 0; ++place)
    issue(stage_.calls[place % iteration], stage_.capturing);
  stage_.state->issue_restore(stage_.capturing);
}

void StampedPlayer::finish_repeat() {
  if (!in_order_) stage_.state->snapshot().restore(stage_.playing);
}

}  // namespace kjoule::driver
