#pragma once
#include <optional>
#include <vector>

#include "prediction/operator_kind.hpp"

namespace kjoule {

/// Time (us) or energy (J) as a sum of what each part of the work costs: a fixed cost, so much a FLOP, so
/// much an element of each stream, none of them below zero. Unlike trees it goes on growing beyond the shapes
/// that it was fitted to.
class Roofline {
 public:
  /// Work of more elements than this, in all its streams, is no longer held by a cache: each then costs more.
  struct Spill {
    double elements, each;
  };
  /// Fitted to relative errors by non-negative least squares (C. Lawson and R. Hanson, "Solving Least Squares
  /// Problems", 1974, chapter 23), reweighted so that outliers count less. A spill is part of it where one
  /// halves the mean error. `costs` are above zero.
  static Roofline fit(const std::vector<OperatorWork>& works, const std::vector<double>& costs);
  /// With the coefficients and the spill that another one has.
  explicit Roofline(std::vector<double> coefficients, std::optional<Spill> spill = {})
      : coefficients_(std::move(coefficients)), spill_(spill) {}

  double predict(const OperatorWork& work) const;
  /// Fixed; per FLOP; per element of each stream.
  const std::vector<double>& coefficients() const { return coefficients_; }
  const std::optional<Spill>& spill() const { return spill_; }

 private:
  std::vector<double> coefficients_;
  std::optional<Spill> spill_;
};

/// The x >= 0 that makes |A x - b| least; row r of A is rows[r].
std::vector<double> non_negative_least_squares(const std::vector<std::vector<double>>& rows,
                                               const std::vector<double>& b);

}  // namespace kjoule
