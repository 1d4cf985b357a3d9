#include "measure/time/stamped_graph.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "base/bug_remedy.hpp"
#include "base/error.hpp"
#include "base/numbers/statistics.hpp"

namespace kjoule {
namespace {

/// Returns the times in ns, rounded to 0.1 ns, which is finer than any clock of stamps.
std::vector<double> rounded_ns(const std::vector<double>& seconds) {
  std::vector<double> ns;
  for (const double value : seconds) ns.push_back(std::round(value * 1e10) / 10);
  return ns;
}

std::vector<double> seconds_of(const std::vector<double>& ns) {
  std::vector<double> seconds;
  for (const double value : ns) seconds.push_back(value * 1e-9);
  return seconds;
}

double mean_without_ends(const std::vector<double>& replays) {
  std::vector<double> kept;
  for (const size_t replay : untrimmed_positions(replays)) kept.push_back(replays[replay]);
  return mean(kept);
}

double robust_deviation(const std::vector<double>& replays) {
  // ratio of standard deviation to median absolute deviation of a normal distribution
  constexpr double kDeviationsPerMedian = 1.4826;
  const double centre = median(replays);
  std::vector<double> distances;
  for (const double replay : replays) distances.push_back(std::abs(replay - centre));
  return kDeviationsPerMedian * median(distances);
}

}  // namespace

StampedGraph summarize_replays(std::vector<uint32_t> stamped_after, const std::vector<double>& seconds) {
  const size_t stretches = stamped_after.empty() ? 0 : stamped_after.size() - 1;
  if (stretches == 0 || seconds.empty() || seconds.size() % stretches != 0) {
    throw Error(std::to_string(seconds.size()) + " times cannot be the replays of a graph with " +
                    std::to_string(stamped_after.size()) + " stamps",
                kBugRemedy);
  }
  StampedGraph graph{std::move(stamped_after), {}, {}};
  std::vector<double> replays(seconds.size() / stretches);
  for (size_t stretch = 0; stretch < stretches; ++stretch) {
    for (size_t replay = 0; replay < replays.size(); ++replay)
      replays[replay] = seconds[replay * stretches + stretch];
    graph.mean_s.push_back(mean_without_ends(replays));
    graph.spread_s.push_back(robust_deviation(replays));
  }
  return graph;
}

StoredGraph to_stored(const StampedGraph& graph) {
  StoredGraph stored{graph.stamped_after.front(), {}, rounded_ns(graph.mean_s), rounded_ns(graph.spread_s)};
  for (size_t i = 1; i < graph.stamped_after.size(); ++i)
    stored.gaps.push_back(graph.stamped_after[i] - graph.stamped_after[i - 1]);
  return stored;
}

StampedGraph from_stored(const StoredGraph& stored) {
  StampedGraph graph{{stored.first}, seconds_of(stored.mean_ns), seconds_of(stored.spread_ns)};
  for (const uint32_t gap : stored.gaps) graph.stamped_after.push_back(graph.stamped_after.back() + gap);
  return graph;
}

}  // namespace kjoule
