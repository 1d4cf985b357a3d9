#include "measure/stamp_effect.hpp"

#include <Eigen/Dense>

namespace kjoule {
namespace {

/// Variance of a stamp and of its graph, in units of a launch's variance.
constexpr double kLaunchesOfStamp = 2;

/// Weighted least squares of excess = (scale - 1) * launches_s + engine_switch_s * switches.
class ExcessEquations {
 public:
  void add(double launches, double launches_s, double switches, double excess_s) {
    const double weight = 1 / (launches + kLaunchesOfStamp);
    const Eigen::Vector2d row(launches_s, switches);
    normal_ += weight * row * row.transpose();
    right_ += weight * excess_s * row;
  }

  /// Returns scale - 1 and engine_switch_s; the smallest solution if the data cannot separate them.
  Eigen::Vector2d solve() const {
    // Both unknowns are scaled to seconds per launch, so that their sizes can be compared.
    const Eigen::Vector2d sizes = normal_.diagonal().cwiseSqrt().cwiseMax(1e-300);
    const Eigen::Matrix2d scaled =
        sizes.cwiseInverse().asDiagonal() * normal_ * sizes.cwiseInverse().asDiagonal();
    Eigen::CompleteOrthogonalDecomposition<Eigen::Matrix2d> solver;
    solver.setThreshold(1e-6);
    solver.compute(scaled);
    return solver.solve(right_.cwiseQuotient(sizes)).cwiseQuotient(sizes);
  }

 private:
  Eigen::Matrix2d normal_ = Eigen::Matrix2d::Zero();
  Eigen::Vector2d right_ = Eigen::Vector2d::Zero();
};

void add_stretches(const StampedGraph& graph, const FittedTimes& times, const std::vector<bool>& switches,
                   ExcessEquations& equations) {
  const size_t launches = times.seconds.size();
  for (size_t i = 0; i + 1 < graph.stamped_after.size(); ++i) {
    double launches_s = 0, count = 0;
    for (uint64_t place = uint64_t{graph.stamped_after[i]} + 1; place <= graph.stamped_after[i + 1];
         ++place) {
      launches_s += times.seconds[place % launches];
      count += switches[place % launches];
    }
    const double expected_s = times.stamp_cost_s[graph.stamped_after[i] % launches] + launches_s;
    equations.add(graph.stamped_after[i + 1] - graph.stamped_after[i], launches_s, count,
                  graph.mean_s[i] - expected_s);
  }
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
  ExcessEquations equations;
  for (const StampedGraph* graph : sparse) add_stretches(*graph, times, switches_engine, equations);
  const Eigen::Vector2d found = equations.solve() * (dense / (dense - few));
  return {1 + found[0], found[1]};
}

}  // namespace kjoule
