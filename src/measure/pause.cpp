#include "measure/pause.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kjoule {

namespace {

/// Boards look at their power by clocks of their own, which keep their rate to 0.02 %: 1227 Hz and 1240 Hz on
/// two H200s of one host (tests/gpu/fold).
constexpr double kBoardsDiffer = 0.015;
/// What power changes faster than this many looks is small.
constexpr int kMostLooks = 3;
/// Pauses that are tried, as shares of the period.
constexpr double kLongest = 0.06, kStep = 0.0025;
/// A pause of 1 % of the period is worth an error of this share less of the mean power: what is taken off for
/// it is not known exactly.
constexpr double kErrorForPause = 0.1;

/// How far a frequency is from any that a board may look with.
double apart_hz(double hz, double looks_hz) {
  return std::max(0.0, std::abs(hz - looks_hz) - kBoardsDiffer * looks_hz);
}

/// What a mean over `span_s` keeps of an oscillation, at the most.
double kept(double hz, double span_s) {
  return 1 / std::max(1.0, std::numbers::pi * hz * span_s);
}

}  // namespace

double error_in_step(double period_s, double looks_hz, double span_s) {
  double squares = 0;
  for (int n = 1; n <= kMostLooks; ++n) {
    const double harmonic = std::floor(n * looks_hz * period_s);
    for (const double h : {harmonic, harmonic + 1}) {
      if (h < 1) continue;
      const double amplitude = 2 / (std::numbers::pi * h);
      const double seen = amplitude * kept(apart_hz(h / period_s, n * looks_hz), span_s);
      squares += seen * seen / 2;
    }
  }
  return std::sqrt(squares);
}

double pause_out_of_step(double period_s, double looks_hz, double span_s) {
  double best = 0, least = error_in_step(period_s, looks_hz, span_s);
  for (double share = kStep; share <= kLongest; share += kStep) {
    const double error = error_in_step(period_s * (1 + share), looks_hz, span_s) + kErrorForPause * share;
    if (error < least) {
      least = error;
      best = share;
    }
  }
  return best * period_s;
}

}  // namespace kjoule
