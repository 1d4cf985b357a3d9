#include "collectives/collective_track.hpp"

#include <algorithm>
#include <limits>

namespace kjoule {

TrackTiming CollectiveTrack::wait() {
  TrackTiming timing;
  timing.begin_ns = std::numeric_limits<int64_t>::max();
  double seconds = 0;
  for (const CollectiveRepeats& repeats : ranks_.end_repeats()) {
    seconds += repeats.seconds / ranks_.size();
    timing.begin_ns = std::min(timing.begin_ns, repeats.begin_ns);
    timing.end_ns = std::max(timing.end_ns, repeats.end_ns);
  }
  timing.seconds = {seconds};
  return timing;
}

}  // namespace kjoule
