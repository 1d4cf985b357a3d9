#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "prediction/operator_kind.hpp"
#include "prediction/roofline.hpp"
#include "prediction/trees.hpp"

namespace kjoule {

/// A predicted time (us) or energy (J) of one shape, with an interval that should contain 90 % of
/// measurements.
struct Prediction {
  double value = 0, low = 0, high = 0;
  std::vector<double> features;
  std::vector<std::string>
      outside;  ///< texts for all sizes outside the samples, for example "l 8192 (sampled: 1024 to 5120)"
};

/// Mean absolute errors on rows that were not used for training, in % of the measured values.
struct HeldOutError {
  double cross_validated_percent = 0;  ///< in four-fold cross-validation: the error inside the samples
  /// For the fifth of the rows with the most work: the error outside the samples.
  double largest_percent = 0;
};

/// Predicts time or energy from the shape as roofline times exp(correction). The correction is made by
/// boosted trees that were trained on the logarithm of the roofline's residuals.
///
/// Inside the samples, the correction is the one that fits them most closely. Outside them, it is the mean of
/// several corrections, whose errors differ there. train() tries the roofline with and without corrections
/// and keeps the variant with the smaller product of both held-out errors.
class OperatorModel {
 public:
  static constexpr size_t kFewestRows = 20;

  /// Trains a model. Predictions have the unit of `costs`, which must be above zero. Throws Error when there
  /// are fewer than kFewestRows rows or XGBoost is not installed.
  static OperatorModel train(const OperatorKind& kind, const std::vector<std::vector<double>>& shapes,
                             const std::vector<double>& costs, unsigned seed = 42);
  /// Throws Error when `json` does not describe a model.
  static OperatorModel from_json(const nlohmann::json& json);
  nlohmann::json json() const;

  /// Predicts a shape, which must have one number for each column of kind().
  Prediction predict(const std::vector<double>& shape) const;
  const OperatorKind& kind() const { return kind_; }
  const HeldOutError& error() const { return error_; }
  const std::string& method() const { return method_; }
  size_t rows() const { return rows_; }

 private:
  struct Range {
    double least, most;
  };
  enum class Region { inside, outside };  ///< inside or outside the samples
  struct FittedModel {
    Roofline roofline;
    std::vector<Trees> corrections;  ///< the first one is used inside the samples, the mean of all outside
    double log_cost(const OperatorWork& work, Region region) const;
  };
  struct Table;
  struct Method;

  OperatorModel(OperatorKind kind, FittedModel fitted) : kind_(std::move(kind)), fitted_(std::move(fitted)) {}
  static const std::vector<Method>& methods();
  /// Fits a model for use in `region`. Corrections that are only needed outside the samples are omitted for
  /// `inside`.
  static FittedModel fit(const Table& table, const std::vector<size_t>& rows, const Method& method,
                         Region region, unsigned seed);
  static std::vector<double> residuals(const FittedModel& fitted, const Table& table,
                                       const std::vector<size_t>& rows, Region region);
  /// Returns a text for each of `sizes` (ordered as ranges_) that is outside the sampled range.
  std::vector<std::string> outside(const std::vector<double>& sizes) const;

  OperatorKind kind_;
  FittedModel fitted_;
  std::string method_;
  /// Ranges of the columns, of the amount of work, and of the features, in this order.
  std::vector<Range> ranges_;
  double least_ = 0;  ///< the least measured cost
  HeldOutError error_;
  double inside_ = 0,
         /// Half-widths of the interval inside and outside the samples, as logarithms of the ratio to the
         /// prediction.
      outside_ = 0;
  size_t rows_ = 0;
};

/// Returns the features of the correction: logarithms of the operator's features and of the work, and
/// remainders of the features modulo 8 and 128, which reflect tile and vector sizes.
std::vector<float> correction_row(const OperatorWork& work);

}  // namespace kjoule
