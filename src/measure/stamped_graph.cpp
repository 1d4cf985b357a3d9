#include "measure/stamped_graph.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/statistics.hpp"

namespace kjoule {
namespace {

/// Returns the times in ns, rounded to a tenth, which is finer than any clock of stamps.
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

double mean_without_ends(const std::vector<double>& plays) {
  std::vector<double> kept;
  for (const size_t play : untrimmed_positions(plays)) kept.push_back(plays[play]);
  return mean(kept);
}

double robust_deviation(const std::vector<double>& plays) {
  // ratio of standard deviation to median absolute deviation of a normal distribution
  constexpr double kDeviationsPerMedian = 1.4826;
  const double centre = median(plays);
  std::vector<double> distances;
  for (const double play : plays) distances.push_back(std::abs(play - centre));
  return kDeviationsPerMedian * median(distances);
}

}  // namespace

StampedGraph summarize_plays(std::vector<uint32_t> after, const std::vector<double>& seconds) {
  const size_t stretches = after.empty() ? 0 : after.size() - 1;
  if (stretches == 0 || seconds.empty() || seconds.size() % stretches != 0) {
    throw Error(std::to_string(seconds.size()) + " times cannot be the plays of a graph with " +
                    std::to_string(after.size()) + " stamps",
                "measure this graph again");
  }
  StampedGraph graph{std::move(after), {}, {}};
  std::vector<double> plays(seconds.size() / stretches);
  for (size_t stretch = 0; stretch < stretches; ++stretch) {
    for (size_t play = 0; play < plays.size(); ++play) plays[play] = seconds[play * stretches + stretch];
    graph.mean_s.push_back(mean_without_ends(plays));
    graph.spread_s.push_back(robust_deviation(plays));
  }
  return graph;
}

StoredGraph to_stored(const StampedGraph& graph) {
  StoredGraph stored{graph.after.front(), {}, rounded_ns(graph.mean_s), rounded_ns(graph.spread_s)};
  for (size_t i = 1; i < graph.after.size(); ++i) stored.gaps.push_back(graph.after[i] - graph.after[i - 1]);
  return stored;
}

StampedGraph from_stored(const StoredGraph& stored) {
  StampedGraph graph{{stored.first}, seconds_of(stored.mean_ns), seconds_of(stored.spread_ns)};
  for (const uint32_t gap : stored.gaps) graph.after.push_back(graph.after.back() + gap);
  return graph;
}

}  // namespace kjoule
