#pragma once
#include "cuda/replay/gated_track.hpp"

namespace kjoule::cuda {

/// The iteration as one graph whose nodes have the dependencies of the program's streams and events, so that
/// launches may overlap. It is timed from a stamp before the first launch to a stamp after all launches.
class OverlappedTrack final : public GatedTrack {
 public:
  explicit OverlappedTrack(const ReplayContext& context);

 private:
  void issue_all();
  void finish_repeat() override;
};

}  // namespace kjoule::cuda
