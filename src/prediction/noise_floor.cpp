#include "prediction/noise_floor.hpp"

#include <cmath>
#include <map>

#include "base/numbers/statistics.hpp"

namespace kjoule {

namespace {

constexpr size_t kFewestReplicates = 10;

}  // namespace

std::vector<std::vector<size_t>> find_replicates(const std::vector<OperatorWork>& works) {
  std::map<std::vector<double>, std::vector<size_t>> same;
  for (size_t r = 0; r < works.size(); ++r) {
    std::vector<double> key = works[r].features;
    key.push_back(works[r].flops);
    key.insert(key.end(), works[r].streams.begin(), works[r].streams.end());
    same[key].push_back(r);
  }
  std::vector<std::vector<size_t>> groups;
  for (auto& [key, rows] : same)
    if (rows.size() > 1) groups.push_back(std::move(rows));
  return groups;
}

std::optional<NoiseFloor> find_noise_floor(const std::vector<OperatorWork>& works,
                                           const std::vector<double>& costs) {
  std::vector<double> distances;
  double sum = 0;
  for (const std::vector<size_t>& group : find_replicates(works)) {
    std::vector<double> logs;
    for (const size_t r : group) logs.push_back(std::log(costs[r]));
    const double centre = mean(logs);
    // The centre follows its rows, so their distances from it are too small by this factor.
    const auto count = static_cast<double>(group.size());
    const double widening = std::sqrt(count / (count - 1));
    for (const double log : logs) {
      distances.push_back(widening * std::abs(log - centre));
      sum += std::expm1(distances.back());
    }
  }
  if (distances.size() < kFewestReplicates) return {};
  constexpr double kShare = 0.9;
  return NoiseFloor{100 * sum / static_cast<double>(distances.size()), quantile(distances, kShare),
                    distances.size()};
}

}  // namespace kjoule
