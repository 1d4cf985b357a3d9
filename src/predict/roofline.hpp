#pragma once
#include <vector>

#include "predict/operator_kind.hpp"

namespace kjoule {

/// Time (us) or energy (J) as a sum of what each part of the work costs: a fixed cost, so much a FLOP, so
/// much an element of each stream, none of them below zero. Unlike trees it goes on growing beyond the shapes
/// that it was fitted to.
class Roofline {
 public:
  /// Fitted to relative errors by non-negative least squares (C. Lawson and R. Hanson, "Solving Least Squares
  /// Problems", 1974, chapter 23), reweighted so that outliers count less. `costs` are above zero.
  static Roofline fit(const std::vector<OperatorWork>& works, const std::vector<double>& costs);
  /// With the coefficients that another one has.
  explicit Roofline(std::vector<double> coefficients) : coefficients_(std::move(coefficients)) {}

  double predict(const OperatorWork& work) const;
  /// Fixed; per FLOP; per element of each stream.
  const std::vector<double>& coefficients() const { return coefficients_; }

 private:
  std::vector<double> coefficients_;
};

/// The x >= 0 that makes |A x - b| least; row r of A is rows[r].
std::vector<double> non_negative_least_squares(const std::vector<std::vector<double>>& rows,
                                               const std::vector<double>& b);

}  // namespace kjoule
