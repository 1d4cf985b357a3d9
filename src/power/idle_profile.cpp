#include "power/idle_profile.hpp"

#include <algorithm>
#include <map>

#include "base/numbers/statistics.hpp"
#include "power/integrate.hpp"

namespace kjoule {

namespace {

constexpr double kBlocks = 10;  ///< the largest number of blocks

/// Returns the mean of the points in each interval of `block_s` seconds.
std::vector<double> block_means(const std::vector<PowerPoint>& points, double block_s) {
  std::map<int64_t, std::vector<double>> blocks;
  for (const PowerPoint& point : points) {
    const double after_s = static_cast<double>(point.unix_ns - points.front().unix_ns) * 1e-9;
    blocks[static_cast<int64_t>(after_s / block_s)].push_back(point.watts);
  }
  std::vector<double> means;
  for (const auto& [place, watts] : blocks) means.push_back(mean(watts));
  return means;
}

}  // namespace

bool IdleProfile::stands_still() const {
  return points >= kFewSamples && most_w == least_w;
}

std::optional<IdleProfile> profile_idle(const std::vector<PowerPoint>& points, const MeterFacts& facts,
                                        double duration_s) {
  if (points.empty()) return {};
  std::vector<double> watts;
  for (const PowerPoint& point : points) watts.push_back(point.watts);
  IdleProfile profile;
  profile.points = points.size();
  profile.mean_w = mean(watts);
  profile.spread_w = standard_deviation(watts);
  profile.least_w = *std::min_element(watts.begin(), watts.end());
  profile.most_w = *std::max_element(watts.begin(), watts.end());
  profile.block_s = std::max(duration_s / kBlocks, kAveragingTimes * facts.averaging_s);
  const std::vector<double> means = block_means(points, profile.block_s);
  profile.blocks = means.size();
  if (means.size() < 2 || profile.stands_still()) return profile;
  const double half = student_t95(static_cast<double>(means.size() - 1)) * standard_error(means);
  const double centre = mean(means);
  profile.low_w = centre - half;
  profile.high_w = centre + half;
  return profile;
}

}  // namespace kjoule
