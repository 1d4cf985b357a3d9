#pragma once
#include <vector>

#include "predict/operator_kind.hpp"

namespace kjoule {

/// Time as a sum of what each part of the work costs: a fixed time, so much a FLOP, so much an element of
/// each stream, none of them below zero. Unlike trees it goes on growing beyond the shapes that it was fitted
/// to.
class Roofline {
 public:
  /// Fitted to relative errors by non-negative least squares (C. Lawson and R. Hanson, "Solving Least Squares
  /// Problems", 1974, chapter 23), reweighted so that outliers count less. `us` are above zero.
  static Roofline fit(const std::vector<OperatorWork>& works, const std::vector<double>& us);
  /// With the coefficients that another one has.
  explicit Roofline(std::vector<double> coefficients) : coefficients_(std::move(coefficients)) {}

  double predict_us(const OperatorWork& work) const;
  /// us; us per FLOP; us per element of each stream.
  const std::vector<double>& coefficients() const { return coefficients_; }

 private:
  std::vector<double> coefficients_;
};

/// The x >= 0 that makes |A x - b| least; row r of A is rows[r].
std::vector<double> non_negative_least_squares(const std::vector<std::vector<double>>& rows,
                                               const std::vector<double>& b);

}  // namespace kjoule
