#include "measure/time/stamp_effect.hpp"

#include <algorithm>
#include <cmath>

namespace kjoule {
namespace {

/// Variance, in s^2 for each second of a stretch, because the effect of stamps differs between launches. With
/// values from 3e-9 to 30e-9, the sums and the known kernels of the tuning programs have equally small
/// errors; with 0, or with ten times more, the errors are larger.
constexpr double kDeviation = 10e-9;

/// Variance of a stamp and of its graph, as a multiple of a launch's variance, in the fit in which all
/// launches count equally.
constexpr double kLaunchesOfStamp = 2;

/// Determinant of the scaled normal equations below which their unknowns cannot be determined separately.
constexpr double kSingular = 2e-6;

/// The excess of a distance between sparse stamps over the sum of the launch times between dense stamps.
struct Excess {
  double seconds = 0;
  double launches = 0, launches_s = 0;  ///< number and time of the launches in this stretch
  double switches = 0;                  ///< number of these launches that switch engines
  double variance_s2 = 0;
};

Excess excess_of(const StampedGraph& graph, size_t stretch, const FittedTimes& times,
                 const std::vector<bool>& switches) {
  const size_t launches = times.seconds.size();
  const uint32_t from = graph.stamped_after[stretch], to = graph.stamped_after[stretch + 1];
  Excess excess;
  excess.launches = to - from;
  excess.variance_s2 = times.stamp_variance_s2;
  for (uint64_t place = uint64_t{from} + 1; place <= to; ++place) {
    excess.launches_s += times.seconds[place % launches];
    excess.switches += switches[place % launches];
    excess.variance_s2 += times.variance_s2[place % launches];
  }
  excess.variance_s2 += kDeviation * std::max(excess.launches_s, 0.0);
  excess.seconds = graph.mean_s[stretch] - times.stamp_cost_s[from % launches] - excess.launches_s;
  return excess;
}

/// Returns scale - 1 by weighted least squares of
///   seconds = (scale - 1) * launches_s + engine_switch_s * switches.
/// Distances with engine switches scatter most, so their weights are small. If scale and engine_switch_s
/// cannot be determined separately, the smallest solution is used.
double find_slope(const std::vector<Excess>& all) {
  // Sums of the normal equations.
  double launches_squared = 0, switches_squared = 0, mixed = 0, of_launches = 0, of_switches = 0;
  for (const Excess& excess : all) {
    launches_squared += excess.launches_s * excess.launches_s / excess.variance_s2;
    switches_squared += excess.switches * excess.switches / excess.variance_s2;
    mixed += excess.launches_s * excess.switches / excess.variance_s2;
    of_launches += excess.launches_s * excess.seconds / excess.variance_s2;
    of_switches += excess.switches * excess.seconds / excess.variance_s2;
  }
  if (launches_squared <= 0) return 0;
  const double launches = std::sqrt(launches_squared), switches = std::sqrt(switches_squared);
  if (switches <= 0) return of_launches / launches_squared;
  // Both unknowns are scaled, so that the matrix is {{1, correlation}, {correlation, 1}}.
  const double correlation = mixed / (launches * switches);
  const double determinant = 1 - correlation * correlation;
  const double right_launches = of_launches / launches, right_switches = of_switches / switches;
  const double scaled = determinant > kSingular
                            ? (right_launches - correlation * right_switches) / determinant
                            : (right_launches + correlation * right_switches) / 4;
  return scaled / launches;
}

/// Returns the time that one engine switch adds to a stretch, in addition to `slope` times the time of its
/// launches; 0 if there is no switch. All launches count equally here, because weights by variance would
/// prefer switches that scatter little.
double find_engine_switch_s(const std::vector<Excess>& all, double slope) {
  double squares = 0, products = 0;
  for (const Excess& excess : all) {
    const double weight = 1 / (excess.launches + kLaunchesOfStamp);
    squares += weight * excess.switches * excess.switches;
    products += weight * excess.switches * (excess.seconds - slope * excess.launches_s);
  }
  return squares > 0 ? products / squares : 0;
}

}  // namespace

double stamps_per_launch(const std::vector<const StampedGraph*>& graphs) {
  double stamps = 0, launches = 0;
  for (const StampedGraph* graph : graphs) {
    stamps += static_cast<double>(graph->stamped_after.size() - 1);
    launches += graph->stamped_after.back() - graph->stamped_after.front();
  }
  return stamps / launches;
}

StampEffect find_stamp_effect(const FittedTimes& times, const std::vector<bool>& switches_engine,
                              double dense, const std::vector<const StampedGraph*>& sparse) {
  const double few = sparse.empty() ? dense : stamps_per_launch(sparse);
  if (!(few < dense)) return {};
  std::vector<Excess> excesses;
  for (const StampedGraph* graph : sparse)
    for (size_t stretch = 0; stretch + 1 < graph->stamped_after.size(); ++stretch)
      excesses.push_back(excess_of(*graph, stretch, times, switches_engine));
  const double found = find_slope(excesses);
  const double to_none = dense / (dense - few);
  return {1 + found * to_none, find_engine_switch_s(excesses, found) * to_none};
}

}  // namespace kjoule
