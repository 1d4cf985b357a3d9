#pragma once
#include <memory>
#include <string>
#include <vector>

#include "prediction/shape_model.hpp"

namespace kjoule {

/// Predicts a collective on numbers of nodes and GPUs that were not measured, from the models of two numbers
/// that were. The logarithm of the cost is linear in the logarithm of the number of ranks.
///
/// The interval contains the costs on both measured numbers of ranks, with their intervals: nothing else
/// bounds the error.
class OtherRanksModel final : public ShapeModel {
 public:
  using Topology = std::pair<int, int>;  ///< numbers of nodes, and of GPUs per node
  /// A model on numbers of nodes and GPUs that were measured; it must outlive the OtherRanksModel.
  struct Measured {
    Topology topology;
    const ShapeModel* model;
  };

  /// The numbers of ranks of the two models must be different.
  OtherRanksModel(Topology topology, Measured first, Measured second);

  Prediction predict(const std::vector<double>& shape) const override;
  const OperatorKind& kind() const override { return first_.model->kind(); }
  const HeldOutError& error() const override { return error_; }
  std::string method() const override;
  size_t rows() const override { return first_.model->rows() + second_.model->rows(); }

 private:
  /// Returns the prediction of a measured model, for the same number of elements.
  static Prediction predict_by(const Measured& measured, const std::vector<double>& shape);

  Topology topology_;
  Measured first_, second_;
  HeldOutError error_;  ///< the larger errors of the two models
};

}  // namespace kjoule
