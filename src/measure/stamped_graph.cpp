#include "measure/stamped_graph.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/statistics.hpp"

namespace kjoule {
namespace {

double mean_without_ends(const std::vector<double>& plays) {
  std::vector<double> kept;
  for (const size_t play : kept_by_trimming(plays)) kept.push_back(plays[play]);
  return mean(kept);
}

double robust_deviation(const std::vector<double>& plays) {
  // standard deviations per median absolute deviation of a normal distribution
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

}  // namespace kjoule
