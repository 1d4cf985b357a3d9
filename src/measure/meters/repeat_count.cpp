#include "measure/meters/repeat_count.hpp"

#include <algorithm>
#include <cmath>

namespace kjoule {

namespace {

/// Duration of one repeat of the whole. It is so long that restoring memory takes a small share of it, and so
/// short that a state in memory (such as a position in a cache) does not run out of range.
constexpr double kWhole_s = 0.1;
constexpr int kFewestIterations = 2;
constexpr int kMostIterations = 200;

}  // namespace

int repeats_to_fill(double least_s, double each_s, int most) {
  return each_s > 0 ? static_cast<int>(std::clamp<double>(std::ceil(least_s / each_s), 1, most)) : most;
}

int copies_in_graph(const GraphLimits& limits, double each_s, size_t launches) {
  const size_t most = std::max<size_t>(1, limits.most_launches / std::max<size_t>(1, launches));
  return std::min(repeats_to_fill(limits.least_s, each_s, limits.most_copies), static_cast<int>(most));
}

int iterations_in_repeat(double iteration_s) {
  return std::max(kFewestIterations, repeats_to_fill(kWhole_s, iteration_s, kMostIterations));
}

}  // namespace kjoule
