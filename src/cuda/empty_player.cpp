#include "cuda/empty_player.hpp"

namespace kjoule::driver {

EmptyPlayer::EmptyPlayer(const Stage& stage, const EmptyKernels& work) : StampedTrack(stage, 2) {
  const auto issue_chain = [&] {
    issue_stamp();
    for (int i = 0; i < work.count; ++i) stage_.stamps.issue_nothing(stage_.capturing);
    issue_stamp();
  };
  capture(issue_chain, [] {});
}

}  // namespace kjoule::driver
