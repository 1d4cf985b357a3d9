#pragma once
#include "cuda/stamped_track.hpp"

namespace kjoule::driver {

/// The iteration as one graph whose nodes have the dependencies of the program's streams and events, so that
/// launches may overlap. It is timed from a stamp before the first launch to a stamp after all launches.
class OverlappedPlayer final : public StampedTrack {
 public:
  explicit OverlappedPlayer(const Stage& stage);

 private:
  void issue_all();
};

}  // namespace kjoule::driver
