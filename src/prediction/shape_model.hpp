#pragma once
#include <optional>
#include <string>
#include <vector>

#include "prediction/operator_kind.hpp"

namespace kjoule {

/// A predicted time (us) or energy (J) of one shape, with an interval that should contain 90 % of
/// measurements.
struct Prediction {
  double value = 0, low = 0, high = 0;
  std::vector<double> features;  ///< OperatorWork::features of the shape
  /// A text for each size outside the samples, for example "l 8192 (sampled: 1024 to 5120)".
  std::vector<std::string> outside;
};

/// Mean absolute errors on rows that were not used for training, in % of the measured values.
struct HeldOutError {
  double cross_validated_percent = 0;  ///< the error inside the samples, from cross-validation
  /// The error outside the samples: for the fifth of the rows with the most work, after training on the
  /// others.
  double largest_percent = 0;
  /// The error that no model can be below, because measurements of the same work scatter; nothing if too few
  /// rows have a replicate (find_noise_floor()).
  std::optional<double> noise_percent{};
};

/// Predicts time (us) or energy (J) from the shape, after training on the rows of one table.
class ShapeModel {
 public:
  virtual ~ShapeModel() = default;
  /// Predicts the cost of a shape, which must have one number for each column of kind().
  virtual Prediction predict(const std::vector<double>& shape) const = 0;
  virtual const OperatorKind& kind() const = 0;
  virtual const HeldOutError& error() const = 0;
  virtual std::string method() const = 0;  ///< Returns the name of the method, for reports.
  virtual size_t rows() const = 0;         ///< Returns the number of rows of the table.
};

}  // namespace kjoule
