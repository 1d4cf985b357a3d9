#pragma once
#include "device/device.hpp"

namespace kjoule {

/// Plays a track that has nothing under way, and waits for it.
inline Played play(Track& track, int repeats) {
  track.enqueue(repeats);
  return track.wait();
}

/// Seconds from begin to end of one repeat.
inline double once_s(Track& track) {
  const Played once = play(track, 1);
  return static_cast<double>(once.end_ns - once.begin_ns) * 1e-9;
}

}  // namespace kjoule
