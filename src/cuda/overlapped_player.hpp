#pragma once
#include "cuda/stamped_track.hpp"

namespace kjoule::driver {

/// The iteration as one graph whose nodes wait for what the program's streams and events made them wait for.
/// Timed from a stamp before the first launch to one after all of them are done.
class OverlappedPlayer final : public StampedTrack {
 public:
  explicit OverlappedPlayer(const Stage& stage);

 private:
  void issue_all();
};

}  // namespace kjoule::driver
