#include "collectives/collective_track.hpp"

#include <algorithm>
#include <limits>

namespace kjoule {

TrackTiming CollectiveTrack::wait() {
  TrackTiming timing;
  timing.begin_ns = std::numeric_limits<int64_t>::max();
  double seconds = 0;
  int rank = 0, taking_part = 0;
  for (const CollectiveRepeats& repeats : ranks_.end_repeats()) {
    if (!operation_.takes_part(rank++, ranks_.size())) continue;
    seconds += repeats.seconds;
    ++taking_part;
    timing.begin_ns = std::min(timing.begin_ns, repeats.begin_ns);
    timing.end_ns = std::max(timing.end_ns, repeats.end_ns);
  }
  timing.seconds = {seconds / taking_part};
  return timing;
}

}  // namespace kjoule
