#include "measure/meters/steady_loop.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/numbers/statistics.hpp"

namespace kjoule {

namespace {

constexpr size_t kUnderWay = 2;
constexpr double kMostSpans = 3;
/// Smallest number of pieces of work in a reading, because one piece does not show any scatter.
constexpr int kLeastPieces = 2;

int64_t ns(double seconds) {
  return static_cast<int64_t>(seconds * 1e9);
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

SteadyLoop::~SteadyLoop() {
  try {
    drain();
  } catch (const Error&) {  // a lost device has no work in progress
  }
}

TrackTiming SteadyLoop::wait_oldest(Piece& piece) {
  piece = under_way_.front();
  under_way_.pop_front();
  TrackTiming replayed = piece.track->wait();
  for (MeterRecord& meter : meters_) meter.read();
  return replayed;
}

void SteadyLoop::drain() {
  Piece piece{};
  while (!under_way_.empty()) wait_oldest(piece);
}

bool SteadyLoop::all_told(int64_t begin_ns, int64_t end_ns) const {
  return std::all_of(meters_.begin(), meters_.end(),
                     [&](const MeterRecord& meter) { return meter.mean_w(begin_ns, end_ns).has_value(); });
}

int SteadyLoop::repeats_in_piece(double repeat_s) const {
  return repeat_s > 0 ? std::max(1, static_cast<int>(std::lround(piece_s_ / repeat_s))) : 1;
}

/// Returns the next completed piece of the current work. It waits for pieces of earlier work, and drops them.
SteadyLoop::Done SteadyLoop::next(Track& track, int repeats) {
  for (;;) {
    while (under_way_.size() < kUnderWay) {
      track.enqueue(repeats);
      under_way_.push_back({&track, repeats, works_});
    }
    Piece piece{};
    const TrackTiming replayed = wait_oldest(piece);
    if (piece.work == works_) return {replayed, piece.repeats};
  }
}

Settled SteadyLoop::settle(Track& track, double repeat_s, double settle_s) {
  ++works_;
  settled_ = &track;
  const int repeats = repeats_in_piece(repeat_s);
  Done done = next(track, repeats);
  const int64_t begin_ns = done.replayed.begin_ns;
  while (done.replayed.end_ns < begin_ns + ns(settle_s)) done = next(track, repeats);
  Settled settled{sum(done.replayed.seconds) / done.repeats};
  if (!done.replayed.clock_hz.empty()) settled.clock_hz = mean(done.replayed.clock_hz);
  return settled;
}

SteadyReading SteadyLoop::read(Track& track, double repeat_s, const ReadingWindow& window) {
  if (std::exchange(settled_, nullptr) != &track) ++works_;
  const int repeats = repeats_in_piece(repeat_s);
  std::vector<Done> done;
  int64_t begin_ns = 0;
  int read_pieces = 0;
  for (;;) {
    done.push_back(next(track, repeats));
    const TrackTiming& replayed = done.back().replayed;
    if (done.size() == 1) begin_ns = replayed.begin_ns;
    if (replayed.begin_ns >= begin_ns + ns(window.settle_s)) ++read_pieces;
    const int64_t passed = replayed.end_ns - begin_ns - ns(window.settle_s);
    if (passed >= ns(kMostSpans * window.span_s)) break;
    if (passed >= ns(window.span_s) && read_pieces >= kLeastPieces &&
        all_told(begin_ns + ns(window.settle_s), replayed.end_ns))
      break;
  }
  return reading(done, begin_ns + ns(window.settle_s));
}

bool SteadyLoop::meters_disagree(const SteadyReading& reading, double share) const {
  const auto disagree = [&](size_t one, size_t other) {
    const MeterFacts &its = meters_[one].meter().facts(), &others = meters_[other].meter().facts();
    const auto &one_w = reading.mean_w[one], &other_w = reading.mean_w[other];
    return its.scope == others.scope && its.id == others.id && one_w && other_w &&
           std::abs(*other_w - *one_w) > share * *one_w;
  };
  for (size_t one = 0; one < reading.mean_w.size(); ++one)
    for (size_t other = one + 1; other < reading.mean_w.size(); ++other)
      if (disagree(one, other)) return true;
  return false;
}

SteadyReading SteadyLoop::reading(const std::vector<Done>& done, int64_t from_ns) const {
  SteadyReading result;
  double seconds = 0, clocks = 0;
  int repeats = 0, told = 0;
  for (const Done& piece : done) {
    // The last piece always counts, because it may be the only one if a repeat takes longer than the warm-up.
    if (piece.replayed.begin_ns < from_ns && &piece != &done.back()) continue;
    const double piece_s = sum(piece.replayed.seconds);
    if (result.piece_s.empty()) result.pieces_begin_ns = piece.replayed.begin_ns;
    result.piece_s.push_back(piece_s / piece.repeats);
    seconds += piece_s;
    repeats += piece.repeats;
    for (const double hz : piece.replayed.clock_hz) {
      clocks += hz;
      ++told;
    }
  }
  result.repeat_s = seconds / repeats;
  result.repeats = repeats;
  if (told > 0) result.clock_hz = clocks / told;
  result.begin_ns = from_ns;
  result.end_ns = done.back().replayed.end_ns;
  for (const MeterRecord& meter : meters_)
    result.mean_w.push_back(meter.mean_w(result.begin_ns, result.end_ns));
  if (!meters_.empty())
    if (const auto state = meters_.front().meter().state()) {
      result.temperature_c = state->temperature_c;
      result.throttle_reasons = state->throttle_reasons.value_or(std::vector<std::string>());
    }
  return result;
}

}  // namespace kjoule
