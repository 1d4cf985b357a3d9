#pragma once
#include <numeric>
#include <vector>

#include "device/device.hpp"

namespace kjoule {

/// Replays a track `repeats` times and waits for it. No other work of the track may be in progress.
inline TrackTiming replay(Track& track, int repeats) {
  track.enqueue(repeats);
  return track.wait();
}

/// Replays a track once and returns the time from begin to end, s.
inline double once_s(Track& track) {
  const TrackTiming once = replay(track, 1);
  return static_cast<double>(once.end_ns - once.begin_ns) * 1e-9;
}

/// Replays a track twice and returns the time of the second replay, s. The first replay is the warm-up.
inline double second_replay_s(Track& track) {
  once_s(track);
  return once_s(track);
}

/// Replays `repeats` repeats of SteadyWork untimed, then `repeats` timed repeats. Returns the mean time of
/// one timed repeat, s.
inline double steady_repeat_s(Track& track, int repeats) {
  track.enqueue(repeats);
  track.enqueue(repeats);
  track.wait();
  const std::vector<double> seconds = track.wait().seconds;
  return std::accumulate(seconds.begin(), seconds.end(), 0.0) / repeats;
}

}  // namespace kjoule
