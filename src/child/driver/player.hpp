#pragma once
#include "graph_track.hpp"

namespace kjoule::driver {

/// A Sequence: launches in place, put-backs as page copies.
class Player final : public GraphTrack {
 public:
  Player(const Stage& stage, const Sequence& sequence);

 private:
  void add(const inject::ScheduleStep& step);
};

/// The iteration as one graph whose nodes wait for what the program's streams and events made them wait for.
/// Timed from before the first launch until all are done.
class OverlappedPlayer final : public GraphTrack {
 public:
  explicit OverlappedPlayer(const Stage& stage);

 private:
  void issue_all();
};

}  // namespace kjoule::driver
