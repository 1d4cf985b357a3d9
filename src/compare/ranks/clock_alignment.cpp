#include "compare/ranks/clock_alignment.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace kjoule {

namespace {

constexpr int64_t kNothingKnown = INT64_MAX / 4;

int64_t middle(int64_t most_ahead_ns, int64_t most_behind_ns) {
  return (most_ahead_ns - most_behind_ns) / 2;
}

}  // namespace

ClockDifferences::ClockDifferences(size_t clocks)
    : most_ns_(clocks, std::vector<int64_t>(clocks, kNothingKnown)) {
  for (size_t clock = 0; clock < clocks; ++clock) most_ns_[clock][clock] = 0;
}

void ClockDifferences::limit(size_t a, size_t b, int64_t ns) {
  most_ns_[a][b] = std::min(most_ns_[a][b], ns);
}

ClockDifferences::Bounds ClockDifferences::closed(int64_t more_ns) const {
  Bounds bounds = most_ns_;
  const size_t clocks = bounds.size();
  for (size_t a = 0; a < clocks; ++a)
    for (size_t b = 0; b < clocks; ++b)
      if (a != b && bounds[a][b] < kNothingKnown) bounds[a][b] += more_ns;
  for (size_t over = 0; over < clocks; ++over)
    for (size_t a = 0; a < clocks; ++a)
      for (size_t b = 0; b < clocks; ++b)
        if (bounds[a][over] < kNothingKnown && bounds[over][b] < kNothingKnown)
          bounds[a][b] = std::min(bounds[a][b], bounds[a][over] + bounds[over][b]);
  for (size_t clock = 0; clock < clocks; ++clock)
    if (bounds[clock][clock] < 0) return {};
  return bounds;
}

ClockAlignment ClockDifferences::align(size_t ranks, size_t host) const {
  constexpr int64_t kFirstRelaxation = 64;
  ClockAlignment aligned;
  Bounds bounds = closed(0);
  while (bounds.empty()) {
    aligned.contradiction_ns = std::max(kFirstRelaxation, 2 * aligned.contradiction_ns);
    bounds = closed(aligned.contradiction_ns);
  }
  const bool has_host = bounds[0][host] < kNothingKnown && bounds[host][0] < kNothingKnown;
  const int64_t first_ns = has_host ? middle(bounds[0][host], bounds[host][0]) : 0;
  for (size_t rank = 0; rank < ranks; ++rank) {
    if (bounds[rank][0] >= kNothingKnown || bounds[0][rank] >= kNothingKnown)
      throw Error("no event of the program compares the clocks of its GPUs");
    aligned.ahead_ns.push_back(first_ns + middle(bounds[rank][0], bounds[0][rank]));
  }
  for (size_t a = 0; a < ranks; ++a)
    for (size_t b = 0; b < ranks; ++b)
      aligned.error_ns =
          std::max(aligned.error_ns, bounds[a][b] - (aligned.ahead_ns[a] - aligned.ahead_ns[b]));
  return aligned;
}

}  // namespace kjoule
