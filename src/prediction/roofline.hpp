#pragma once
#include <optional>
#include <vector>

#include "prediction/operator_kind.hpp"

namespace kjoule {

/// Time (us) or energy (J) as a sum with non-negative coefficients: a fixed cost, a cost per FLOP, and a cost
/// per element of each stream. Unlike the prediction of trees, it grows beyond the shapes of the samples.
class Roofline {
 public:
  /// An additional cost of `each` per element. It applies to all elements if all streams together have more
  /// than `elements`, because they then exceed a cache.
  struct Spill {
    double elements, each;
  };
  /// Fits a roofline to relative errors by non-negative least squares (C. Lawson and R. Hanson, "Solving
  /// Least Squares Problems", 1974, chapter 23), with weights that reduce the influence of outliers. A spill
  /// is included only if it at least halves the mean error. `costs` must be above zero.
  static Roofline fit(const std::vector<OperatorWork>& works, const std::vector<double>& costs);
  /// Creates a roofline from known coefficients and spill.
  explicit Roofline(std::vector<double> coefficients, std::optional<Spill> spill = {})
      : coefficients_(std::move(coefficients)), spill_(spill) {}

  double predict(const OperatorWork& work) const;
  /// Costs that different rates of a GPU determine: a launch, arithmetic, and memory (spill included).
  struct Parts {
    double fixed, compute, memory;
  };
  /// Returns the parts of predict().
  Parts parts(const OperatorWork& work) const;
  /// Returns the fixed cost, the cost per FLOP, and the costs per element of each stream.
  const std::vector<double>& coefficients() const { return coefficients_; }
  const std::optional<Spill>& spill() const { return spill_; }

 private:
  std::vector<double> coefficients_;
  std::optional<Spill> spill_;
};

/// Returns the x >= 0 that minimises |A x - b|. Row r of A is rows[r].
std::vector<double> non_negative_least_squares(const std::vector<std::vector<double>>& rows,
                                               const std::vector<double>& b);

}  // namespace kjoule
