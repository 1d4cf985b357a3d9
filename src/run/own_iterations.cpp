#include "run/own_iterations.hpp"

#include <algorithm>

#include "measure/time/replay_track.hpp"

namespace kjoule {

namespace {

constexpr double kPiece_s = 1;

/// Appends the iterations of a later piece.
void append(const TrackTiming& piece, TrackTiming& all) {
  if (all.seconds.empty()) all.begin_ns = piece.begin_ns;
  all.seconds.insert(all.seconds.end(), piece.seconds.begin(), piece.seconds.end());
  all.clock_hz.insert(all.clock_hz.end(), piece.clock_hz.begin(), piece.clock_hz.end());
  all.end_ns = piece.end_ns;
}

}  // namespace

OwnIterations::OwnIterations(Track& track, const RunOptions& options, Progress& progress)
    : track_(track), options_(options), progress_(progress) {}

int OwnIterations::warm_up() {
  if (options_.warmup == 0) return 0;
  const double share = static_cast<double>(options_.warmup) / (options_.warmup + options_.runs);
  return static_cast<int>(run(options_.warmup, share * options_.most_s).seconds.size());
}

TrackTiming OwnIterations::time(int runs) {
  return run(runs, options_.most_s);
}

/// Returns the number of iterations in the next piece, of which `left` are left.
int OwnIterations::piece(int left, double until_s) const {
  if (each_s_ <= 0) return 1;
  const double fitting = std::min(kPiece_s, until_s - passed_s_) / each_s_;
  return static_cast<int>(std::clamp(fitting, 1.0, static_cast<double>(left)));
}

TrackTiming OwnIterations::run(int count, double until_s) {
  TrackTiming all;
  while (std::ssize(all.seconds) < count && (all.seconds.empty() || passed_s_ < until_s)) {
    const int iterations = piece(count - static_cast<int>(all.seconds.size()), until_s);
    const TrackTiming replayed = replay(track_, iterations);
    append(replayed, all);
    const double took_s = static_cast<double>(replayed.end_ns - replayed.begin_ns) * 1e-9;
    each_s_ = took_s / iterations;
    passed_s_ += took_s;
    done_ += iterations;
    progress_.update(std::max(static_cast<double>(done_) / (options_.warmup + options_.runs),
                              passed_s_ / options_.most_s));
  }
  return all;
}

}  // namespace kjoule
