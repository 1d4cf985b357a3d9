#pragma once
#include <string>
#include <vector>

#include "prediction/shape_model.hpp"

namespace kjoule {

/// Costs of a collective by the size of its message, between which they follow lines: between two measured
/// sizes, a collective has one latency and one bandwidth. A line between the sizes at which NCCL changes its
/// protocol spreads the step over this range.
class CostsBySize {
 public:
  /// `costs` has the cost of each of `sizes`; sizes may be repeated, and their cost is then the median. At
  /// least two sizes must be different.
  CostsBySize(const std::vector<double>& sizes, const std::vector<double>& costs);

  /// Returns the cost of a size. Below the smallest size, it is that of the smallest (the latency); above the
  /// largest, it follows the latency and bandwidth of the sizes from half of the largest on.
  double cost(double size) const;
  /// Returns how much the costs disagree at a size: the largest logarithm of the ratio of cost() to the cost
  /// by one of the two neighbouring lines, if this line went on. It is large where a line spans a step.
  double disagreement(double size) const;
  CostsBySize without(size_t row) const;
  CostsBySize first(size_t rows) const;
  size_t count() const { return rows_.size(); }  ///< number of different sizes
  double size_of(size_t row) const { return rows_[row].size; }
  double cost_of(size_t row) const { return rows_[row].cost; }

 private:
  struct Row {
    double size, cost;
  };
  explicit CostsBySize(std::vector<Row> rows) : rows_(std::move(rows)) {}
  /// Returns the cost of a size above the largest.
  double beyond(double size) const;
  /// Returns the rise of the line that begins at a row, at least 0.
  double slope_from(size_t row) const;
  /// Returns the row at which the line of a size begins.
  size_t line_of(double size) const;

  std::vector<Row> rows_;  ///< of increasing size
};

/// Predicts the time or energy of a collective on the numbers of nodes and GPUs of a table with few rows, by
/// CostsBySize. Trees need hundreds of rows; a sweep of kjoule collectives has 17.
///
/// The interval is in proportion to kLeastDisagreement + CostsBySize::disagreement(), by the factor that
/// covers 90 % of the inner rows if each of them is left out. The factor is at least 1, so that the interval
/// in a step contains the lines of both protocols. Outside the sizes, its half-width is at least
/// that of the errors on the largest fifth, and least_half_width_outside().
class CollectiveModel final : public ShapeModel {
 public:
  /// Nine sizes that are left out are the fewest of which a share of 90 % can be covered.
  static constexpr size_t kFewestSizes = 11;
  /// From this number of rows on, a table has an OperatorModel, which does not follow the scatter of single
  /// rows.
  static constexpr size_t kManyRows = 40;

  /// Trains a model on rows of the same numbers of nodes and GPUs. Throws Error if there are fewer than
  /// kFewestSizes sizes.
  static CollectiveModel train(const OperatorKind& kind, const std::vector<std::vector<double>>& shapes,
                               const std::vector<double>& costs);

  Prediction predict(const std::vector<double>& shape) const override;
  const OperatorKind& kind() const override { return kind_; }
  const HeldOutError& error() const override { return error_; }
  std::string method() const override { return "latency and bandwidth between measured sizes"; }
  size_t rows() const override { return rows_; }

 private:
  CollectiveModel(OperatorKind kind, CostsBySize costs, size_t rows);

  OperatorKind kind_;
  CostsBySize costs_;
  size_t rows_;
  HeldOutError error_;
  double factor_ = 0;   ///< of the half-width inside the sizes
  double outside_ = 0;  ///< half-width outside the sizes, as a logarithm
};

}  // namespace kjoule
