#include "measure/stamped_whole.hpp"

#include <algorithm>
#include <cmath>

#include "measure/played.hpp"
#include "measure/statistics.hpp"
#include "measure/sweep.hpp"

namespace kjoule {

namespace {

constexpr double kShortestSpan_s = 1e-3;  ///< 30,000 times the tick of an H200's clock
constexpr int kLongestSpan = 200;
constexpr int kPlays = 9;

/// One iteration to warm the caches, then a stretch of `iterations` and one of twice as many.
Stamped two_stretches(size_t launches, const std::set<LaunchIndex>& excluded, int iterations) {
  Stamped work;
  work.launches = in_one_stretch(launches, excluded, 1 + 3 * iterations).segments.front().timed;
  const auto length = static_cast<uint32_t>(launches - excluded.size());
  const auto count = static_cast<uint32_t>(iterations);
  for (const uint32_t done : {1u, 1 + count, 1 + 3 * count}) work.after.push_back(done * length - 1);
  return work;
}

double time_iteration(Device& device, const Stamped& work, int iterations) {
  const auto track = device.open(work);
  play(*track, 1);
  const std::vector<double> seconds = play(*track, kPlays).seconds;
  std::vector<double> differences;
  for (size_t i = 0; i < seconds.size(); i += 2) differences.push_back(seconds[i + 1] - seconds[i]);
  return median(differences) / iterations;
}

}  // namespace

double time_undisturbed_whole(Device& device, size_t launches, const std::set<LaunchIndex>& excluded) {
  const double first_s = time_iteration(device, two_stretches(launches, excluded, 1), 1);
  if (first_s >= kShortestSpan_s) return first_s;
  const double wanted = first_s > 0 ? std::ceil(kShortestSpan_s / first_s) : kLongestSpan;
  const int iterations = std::min(static_cast<int>(wanted), kLongestSpan);
  return time_iteration(device, two_stretches(launches, excluded, iterations), iterations);
}

}  // namespace kjoule
