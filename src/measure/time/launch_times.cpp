#include "measure/time/launch_times.hpp"

#include <Eigen/Sparse>
#include <algorithm>
#include <utility>

#include "base/bug_remedy.hpp"
#include "base/error.hpp"
#include "base/numbers/statistics.hpp"

namespace kjoule {
namespace {

using NormalMatrix = Eigen::SparseMatrix<double>;

constexpr double kNsPerSecond = 1e9;   // times are solved for in ns, so that numbers are near 1
constexpr double kLeastSpreadNs = 10;  // resolution of the clock: a smaller spread is not known better
constexpr int kVarianceRounds = 30;    // iterations after which the fitted variances have converged
// Strength with which unknowns are pulled towards typical values, as a share of their weight in the
// distances. It is far below this weight, and far above rounding errors. Stamp costs differ less than launch
// times. They are therefore pulled more, so that a difference in the sum of both goes to the launch.
constexpr double kPullOnLaunch = 1e-9;
constexpr double kPullOnStamp = 1e-6;
constexpr const char* kMeasureMore = "repeat the command with a longer --time-limit";

/// The distance from the stamp after position `from` to the next stamp, which is after position `to`.
struct Stretch {
  uint32_t from = 0, to = 0;
  double ns = 0;
  double variance = 0;
};
using Stretches = std::vector<Stretch>;  ///< all distances in one graph

Stretches stretches_of(const StampedGraph& graph) {
  const size_t count = graph.stamped_after.empty() ? 0 : graph.stamped_after.size() - 1;
  if (graph.mean_s.size() != count || graph.spread_s.size() != count)
    throw Error("a measured graph does not have one time for each two successive stamps", kBugRemedy);
  Stretches stretches;
  for (size_t i = 0; i < count; ++i) {
    if (graph.stamped_after[i + 1] <= graph.stamped_after[i])
      throw Error("the stamps of a measured graph are not in order", kBugRemedy);
    const double spread_ns = graph.spread_s[i] * kNsPerSecond;
    stretches.push_back({graph.stamped_after[i], graph.stamped_after[i + 1], graph.mean_s[i] * kNsPerSecond,
                         spread_ns * spread_ns + kLeastSpreadNs * kLeastSpreadNs});
  }
  return stretches;
}

template <typename Visit>
void visit_launches(const Stretch& stretch, size_t launches, Visit visit) {
  for (uint64_t position = uint64_t{stretch.from} + 1; position <= stretch.to; ++position)
    visit(static_cast<size_t>(position % launches));
}

/// Fits variances of a stamp and of each launch, so that their sum over a distance is the variance of this
/// distance.
class VarianceFit {
 public:
  VarianceFit(size_t launches, const std::vector<Stretches>& graphs)
      : launches_(launches), variances_(launches + 1, mean_variance(graphs) / 5) {
    for (int round = 0; round < kVarianceRounds; ++round) update(graphs);
  }

  double of_stamp() const { return variances_[launches_]; }
  double of_launch(size_t launch) const { return variances_[launch]; }
  double of(const Stretch& stretch) const {
    double sum = of_stamp();
    visit_launches(stretch, launches_, [&](size_t launch) { sum += variances_[launch]; });
    return sum;
  }

 private:
  static double mean_variance(const std::vector<Stretches>& graphs) {
    double sum = 0;
    size_t count = 0;
    for (const Stretches& graph : graphs) {
      for (const Stretch& stretch : graph) sum += stretch.variance;
      count += graph.size();
    }
    return sum / static_cast<double>(count);
  }

  /// Multiplies each variance by the ratio of measured to fitted variance of the distances with this launch
  /// or stamp. No variance becomes negative by this.
  void update(const std::vector<Stretches>& graphs) {
    std::vector<double> measured(variances_.size());
    std::vector<double> fitted(variances_.size());
    for (const Stretches& graph : graphs) {
      for (const Stretch& stretch : graph) {
        const double now = of(stretch);
        const auto add = [&](size_t part) {
          measured[part] += stretch.variance / (now * now);
          fitted[part] += 1 / now;
        };
        add(launches_);
        visit_launches(stretch, launches_, add);
      }
    }
    for (size_t part = 0; part < variances_.size(); ++part)
      if (fitted[part] > 0) variances_[part] *= measured[part] / fitted[part];
  }

  size_t launches_;
  std::vector<double> variances_;  ///< by launch; the last one is the variance of a stamp
};

/// The normal equations for the distances of one graph. The unknowns are the stamp costs, followed by the
/// launch times.
struct GraphEquations {
  NormalMatrix normal;  ///< lower triangle of the matrix
  Eigen::VectorXd right;
  double ns = 0;        ///< sum of all distances of the graph
  double launches = 0;  ///< number of launches in these distances
};

GraphEquations normal_equations(size_t launches, const Stretches& stretches, const VarianceFit& variances) {
  const auto unknowns = static_cast<Eigen::Index>(2 * launches);
  GraphEquations equations{NormalMatrix(unknowns, unknowns), Eigen::VectorXd::Zero(unknowns)};
  std::vector<Eigen::Triplet<double>> triplets;
  std::vector<int> row;  // the unknowns that add up to a distance, each as often as it occurs in the sum
  for (const Stretch& stretch : stretches) {
    row.assign(1, static_cast<int>(stretch.from % launches));
    visit_launches(stretch, launches,
                   [&](size_t launch) { row.push_back(static_cast<int>(launches + launch)); });
    const double weight = 1 / variances.of(stretch);
    for (const int i : row) {
      equations.right[i] += weight * stretch.ns;
      for (const int j : row)
        if (j <= i) triplets.emplace_back(i, j, weight);
    }
    equations.ns += stretch.ns;
    equations.launches += static_cast<double>(stretch.to - stretch.from);
  }
  equations.normal.setFromTriplets(triplets.begin(), triplets.end());
  return equations;
}

/// Adds a weak pull of each unknown towards 0, which determines unknowns that no distance determines. It is
/// proportional to the unknown's weight in the distances, so that it is also weak for a noisy launch.
void add_ridge(NormalMatrix& normal) {
  const Eigen::VectorXd diagonal = normal.diagonal();
  const double typical = diagonal.mean();
  for (Eigen::Index i = 0; i < diagonal.size(); ++i) {
    const double pull = i < diagonal.size() / 2 ? kPullOnStamp : kPullOnLaunch;
    normal.coeffRef(i, i) += diagonal[i] > 0 ? pull * diagonal[i] : typical;
  }
}

Eigen::VectorXd solve_near(NormalMatrix normal, const Eigen::VectorXd& right, const Eigen::VectorXd& centre) {
  const Eigen::VectorXd missing = right - normal.selfadjointView<Eigen::Lower>() * centre;
  add_ridge(normal);
  const Eigen::SimplicialLDLT<NormalMatrix, Eigen::Lower> solver(normal);
  if (solver.info() != Eigen::Success)
    throw Error("the times of launches cannot be computed from the graphs", kMeasureMore);
  Eigen::VectorXd found = centre + solver.solve(missing);
  if (!found.allFinite())
    throw Error("the times of launches cannot be computed from the graphs", kMeasureMore);
  return found;
}

FittedTimes in_seconds(const Eigen::VectorXd& ns, const VarianceFit& variances) {
  constexpr double kSquare = kNsPerSecond * kNsPerSecond;
  const auto launches = ns.size() / 2;
  FittedTimes times;
  times.stamp_variance_s2 = variances.of_stamp() / kSquare;
  for (Eigen::Index i = 0; i < launches; ++i) {
    times.stamp_cost_s.push_back(ns[i] / kNsPerSecond);
    times.seconds.push_back(ns[launches + i] / kNsPerSecond);
    times.variance_s2.push_back(variances.of_launch(static_cast<size_t>(i)) / kSquare);
  }
  return times;
}

}  // namespace

/// Normal equations of all graphs, prepared for adding up those of any selection of graphs.
struct LaunchTimeFit::Equations {
  /// The equations of one graph. `slots` has the positions of its matrix's values in the values of `sum`.
  struct Part {
    GraphEquations graph;
    std::vector<uint32_t> slots;
  };

  Equations(std::vector<GraphEquations> graphs, VarianceFit fitted);
  Eigen::VectorXd solve(const std::vector<bool>& used) const;
  std::vector<bool> all() const { return std::vector<bool>(parts.size(), true); }

  /// A matrix of zeros whose pattern has the diagonal and all positions of the graphs' matrices.
  NormalMatrix sum;
  std::vector<Part> parts;
  VarianceFit variances;
  double typical_stamp_ns = 0;  ///< cost of a stamp that is in no distance

 private:
  double median_stamp_ns() const;
  std::vector<uint32_t> slots_of(const NormalMatrix& normal) const;
};

LaunchTimeFit::Equations::Equations(std::vector<GraphEquations> graphs, VarianceFit fitted)
    : sum(graphs.front().normal.rows(), graphs.front().normal.cols()), variances(std::move(fitted)) {
  sum.setIdentity();
  for (const GraphEquations& graph : graphs) sum = NormalMatrix(sum + graph.normal);
  sum.coeffs().setZero();
  for (GraphEquations& graph : graphs) {
    std::vector<uint32_t> slots = slots_of(graph.normal);
    parts.push_back({std::move(graph), std::move(slots)});
  }
  typical_stamp_ns = median_stamp_ns();
}

std::vector<uint32_t> LaunchTimeFit::Equations::slots_of(const NormalMatrix& normal) const {
  std::vector<uint32_t> slots;
  slots.reserve(static_cast<size_t>(normal.nonZeros()));
  for (Eigen::Index column = 0; column < normal.outerSize(); ++column) {
    auto slot = static_cast<size_t>(sum.outerIndexPtr()[column]);
    for (NormalMatrix::InnerIterator value(normal, column); value; ++value) {
      while (sum.innerIndexPtr()[slot] < value.row()) ++slot;  // rows are in ascending order in both matrices
      slots.push_back(static_cast<uint32_t>(slot));
    }
  }
  return slots;
}

Eigen::VectorXd LaunchTimeFit::Equations::solve(const std::vector<bool>& used) const {
  NormalMatrix normal = sum;
  Eigen::VectorXd right = Eigen::VectorXd::Zero(normal.rows());
  double ns = 0;
  double launches = 0;
  for (size_t part = 0; part < parts.size(); ++part) {
    if (!used[part]) continue;
    const auto& [graph, slots] = parts[part];
    for (size_t i = 0; i < slots.size(); ++i) normal.valuePtr()[slots[i]] += graph.normal.valuePtr()[i];
    right += graph.right;
    ns += graph.ns;
    launches += graph.launches;
  }
  if (launches == 0) throw Error("no measured graph contains launches", kMeasureMore);
  Eigen::VectorXd typical = Eigen::VectorXd::Constant(normal.rows(), ns / launches);
  typical.head(normal.rows() / 2).setConstant(typical_stamp_ns);
  return solve_near(std::move(normal), right, typical);
}

double LaunchTimeFit::Equations::median_stamp_ns() const {
  const Eigen::VectorXd found = solve(all());
  std::vector<double> costs;
  for (Eigen::Index launch = 0; launch < found.size() / 2; ++launch) {
    const auto stamped = [&](const Part& part) { return part.graph.normal.coeff(launch, launch) > 0; };
    if (std::any_of(parts.begin(), parts.end(), stamped)) costs.push_back(found[launch]);
  }
  return median(costs);
}

LaunchTimeFit::LaunchTimeFit(size_t launches, const std::vector<StampedGraph>& graphs) {
  std::vector<Stretches> all;
  for (const StampedGraph& graph : graphs) {
    all.push_back(stretches_of(graph));
    if (all.back().empty()) throw Error("a measured graph has fewer than two stamps", kBugRemedy);
  }
  if (launches == 0) throw Error("the iteration has no launches to be timed", kBugRemedy);
  if (all.empty()) throw Error("no graph was measured", kMeasureMore);
  VarianceFit variances(launches, all);
  std::vector<GraphEquations> equations;
  for (const Stretches& stretches : all)
    equations.push_back(normal_equations(launches, stretches, variances));
  equations_ = std::make_shared<const Equations>(std::move(equations), std::move(variances));
}

FittedTimes LaunchTimeFit::times() const {
  return in_seconds(equations_->solve(equations_->all()), equations_->variances);
}

FittedTimes LaunchTimeFit::times_of(const std::vector<bool>& used) const {
  if (used.size() != equations_->parts.size())
    throw Error("the selection of measured graphs has another length than their list", kBugRemedy);
  return in_seconds(equations_->solve(used), equations_->variances);
}

}  // namespace kjoule
