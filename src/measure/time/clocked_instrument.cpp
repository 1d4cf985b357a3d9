#include "measure/time/clocked_instrument.hpp"

#include "measure/time/replay_track.hpp"

namespace kjoule {

namespace {

/// The program's own iteration is only run in every third round, because no estimate uses its times.
constexpr int kOwnIterationEvery = 3;

/// Returns whether the passes of a round are replayed in reverse order. If the machine becomes slower during
/// a round, the launches of the later pass seem longer and those of the earlier pass shorter. This error
/// cancels over four rounds (forward, reverse, reverse, forward), and also over only the even or only the odd
/// rounds.
bool is_reversed(int round) {
  return (round + 1) / 2 % 2 == 1;
}

/// Returns the number of replays before those that are used. After other work, the first replays of a short
/// program take up to 30 % longer, because the memory of the track is not in the caches.
int warm_up_replays(int repeats) {
  return repeats / 2;
}

/// Returns the times of `repeats` replays of a track after a warm-up, by repeat and within it by segment.
std::vector<double> replay_warm(Track& track, int repeats) {
  const int warm_up = warm_up_replays(repeats);
  const std::vector<double> seconds = replay(track, warm_up + repeats).seconds;
  const size_t segments = seconds.size() / static_cast<size_t>(warm_up + repeats);
  return {seconds.begin() + static_cast<std::ptrdiff_t>(segments) * warm_up, seconds.end()};
}

void append_replays(Track& track, int repeats, std::vector<double>& runs) {
  const std::vector<double> replayed = replay_warm(track, repeats);
  runs.insert(runs.end(), replayed.begin(), replayed.end());
}

}  // namespace

ClockedInstrument::ClockedInstrument(Device& device, const Clock& clock, const TimedIteration& iteration,
                                     const ClockedPlan& plan)
    : device_(device), clock_(clock), launches_(iteration.launches), plan_(plan) {
  if (device.info().runs_program) own_iteration_ = device.open(Iteration{});
  whole_ = device.open(in_one_segment(iteration));
  for (ClockedPass& pass : clocked_passes(iteration)) {
    auto track = device.open(pass.sequence);
    passes_.push_back({std::move(pass), std::move(track)});
  }
}

Round ClockedInstrument::measure(int number) {
  device_.begin_round(number);
  Round round;
  round.number = number;
  round.begin_ns = clock_.now_ns();
  ClockedLaunches times;
  times.launch_s.assign(launches_, 0.0);
  if (own_iteration_ && number % kOwnIterationEvery == 0)
    append_replays(*own_iteration_, plan_.iterations, times.own_iteration_s);
  add_wholes(times);
  for (size_t pass = 0; pass < passes_.size(); ++pass) {
    const OpenPass& open = is_reversed(number) ? passes_[passes_.size() - 1 - pass] : passes_[pass];
    open.pass.add_times(replay_warm(*open.track, plan_.passes), times.launch_s);
    add_wholes(times);
  }
  round.times = std::move(times);
  round.end_ns = clock_.now_ns();
  return round;
}

void ClockedInstrument::add_wholes(ClockedLaunches& times) {
  append_replays(*whole_, plan_.segments, times.whole_s);
}

}  // namespace kjoule
