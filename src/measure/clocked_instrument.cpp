#include "measure/clocked_instrument.hpp"

#include "measure/replay_track.hpp"

namespace kjoule {

namespace {

/// The recorded launches are replayed in one segment in every third round only, because no estimate uses
/// these times.
constexpr int kSegmentEvery = 3;

/// Returns whether the passes of a round are replayed in reverse order. When the machine becomes slower
/// during a round, the launches of the later pass seem longer and those of the earlier one shorter; over four
/// rounds (forward, reverse, reverse, forward) this error cancels, even over the even or the odd rounds only.
bool is_reversed(int round) {
  return (round + 1) / 2 % 2 == 1;
}

void append_replays(Track& track, int repeats, std::vector<double>& runs) {
  const TrackTiming replayed = replay(track, repeats);
  runs.insert(runs.end(), replayed.seconds.begin(), replayed.seconds.end());
}

}  // namespace

ClockedInstrument::ClockedInstrument(Device& device, const Clock& clock, const TimedIteration& iteration,
                                     const ClockedPlan& plan)
    : device_(device), clock_(clock), launches_(iteration.launches), plan_(plan) {
  if (device.info().serial_iteration && device.info().runs_program) iteration_ = device.open(Iteration{});
  segment_ = device.open(in_one_segment(iteration));
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
  if (iteration_ && number % kSegmentEvery == 0) add_segments(times.replayed_s);
  add_wholes(times);
  for (size_t pass = 0; pass < passes_.size(); ++pass) {
    const OpenPass& open = is_reversed(number) ? passes_[passes_.size() - 1 - pass] : passes_[pass];
    open.pass.add_times(replay(*open.track, plan_.passes).seconds, times.launch_s);
    add_wholes(times);
  }
  round.times = std::move(times);
  round.end_ns = clock_.now_ns();
  return round;
}

void ClockedInstrument::add_wholes(ClockedLaunches& times) {
  if (iteration_)
    append_replays(*iteration_, plan_.iterations, times.whole_s);
  else
    add_segments(times.whole_s);
}

void ClockedInstrument::add_segments(std::vector<double>& runs) {
  append_replays(*segment_, plan_.segments, runs);
}

}  // namespace kjoule
