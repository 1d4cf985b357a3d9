#include "measure/pilot.hpp"

namespace kjoule {

double pilot_s(Track& track, int repeats) {
  track.enqueue(repeats);
  track.enqueue(repeats);
  track.wait();
  return track.wait().seconds.front() / repeats;
}

}  // namespace kjoule
