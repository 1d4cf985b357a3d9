#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "prediction/operator_kind.hpp"
#include "prediction/roofline.hpp"
#include "prediction/shape_model.hpp"
#include "prediction/trees.hpp"

namespace kjoule {

/// Predicts time or energy from the shape as roofline times exp(correction). The correction is the sum of
/// boosted trees, which were trained on the logarithm of the ratio of measured value and roofline.
///
/// Inside the samples, the correction that fits the samples most closely is used. Outside, the mean of
/// several corrections is used, because their errors differ there. train() tries the roofline with and
/// without corrections and keeps the variant with the smaller product of both held-out deviations.
class OperatorModel final : public ShapeModel {
 public:
  static constexpr size_t kFewestRows = 20;

  /// Trains a model. Predictions have the unit of `costs`, which must be above zero. Throws Error if there
  /// are fewer than kFewestRows rows or if XGBoost is not installed.
  static OperatorModel train(const OperatorKind& kind, const std::vector<std::vector<double>>& shapes,
                             const std::vector<double>& costs, unsigned seed = 42);
  /// Returns for each of `candidates` how much models disagree that were trained on different three quarters
  /// of the rows: the standard deviation of the logarithms of their predictions. Throws Error as train().
  static std::vector<double> disagreements(const OperatorKind& kind,
                                           const std::vector<std::vector<double>>& shapes,
                                           const std::vector<double>& costs,
                                           const std::vector<std::vector<double>>& candidates,
                                           unsigned seed = 42);
  /// Returns the model that json() wrote. Throws Error if `json` does not describe a model.
  static OperatorModel from_json(const nlohmann::json& json);
  nlohmann::json json() const;

  Prediction predict(const std::vector<double>& shape) const override;
  /// The parts of a prediction, from which the cost on another GPU can be estimated.
  struct Parts {
    Roofline::Parts roofline;
    double correction_log = 0;         ///< logarithm of the ratio of the prediction to the roofline
    double half_width_log = 0;         ///< half-width of the interval
    std::vector<std::string> outside;  ///< as Prediction::outside
  };
  /// Returns the parts of the prediction of a shape.
  Parts parts(const std::vector<double>& shape) const;
  /// Predicts the cost of work with the features of kind(), which need not come from one of its shapes.
  Prediction predict(const OperatorWork& work) const;
  /// Returns whether the work, or one of its features, is less than in every sample.
  bool is_below_samples(const OperatorWork& work) const;
  /// Returns the cost by the roofline alone, for less work than in every sample. The costs of samples are no
  /// lower bound for it, unlike for predict().
  double extrapolate(const OperatorWork& work) const { return fitted_.roofline.predict(work); }
  double least_measured() const { return least_; }  ///< the smallest measured cost
  const OperatorKind& kind() const override { return kind_; }
  const HeldOutError& error() const override { return error_; }
  std::string method() const override { return method_; }
  size_t rows() const override { return rows_; }

 private:
  struct Range {
    double least, most;
  };
  enum class Region { inside, outside };  ///< inside or outside the samples
  struct FittedModel {
    Roofline roofline;
    std::vector<Trees> corrections;  ///< inside the samples, the first is used; outside, the mean of all
    bool has_quotients = false;  ///< whether the rows of the corrections have quotients (correction_row())
    double log_cost(const OperatorWork& work, Region region) const;
  };
  struct Table;
  struct Method;
  struct HeldOut {
    std::vector<double> inside, outside;  ///< residuals of cross-validation, and of the largest fifth
  };

  OperatorModel(OperatorKind kind, FittedModel fitted) : kind_(std::move(kind)), fitted_(std::move(fitted)) {}
  static const std::vector<Method>& methods();
  /// Throws Error if there are too few rows.
  static Table table_of(const OperatorKind& kind, const std::vector<std::vector<double>>& shapes,
                        const std::vector<double>& costs);
  /// Fits a model for use in `region`. For `inside`, corrections that are needed only outside are omitted.
  static FittedModel fit(const Table& table, const std::vector<size_t>& rows, const Method& method,
                         Region region, unsigned seed);
  /// Returns the residuals on rows that were not used for training. `mixed` contains all rows in random
  /// order.
  static HeldOut hold_out(const Table& table, const std::vector<size_t>& mixed, const Method& method,
                          unsigned seed);
  static std::vector<double> residuals(const FittedModel& fitted, const Table& table,
                                       const std::vector<size_t>& rows, Region region);
  Prediction predict(const OperatorWork& work, std::vector<std::string> outside) const;
  /// Returns a text for each of `sizes` (ordered as ranges_) that is outside the sampled range.
  std::vector<std::string> outside(const std::vector<double>& sizes) const;

  OperatorKind kind_;
  FittedModel fitted_;
  std::string method_;
  /// Ranges of the columns, of the amount of work, and of the features, in this order.
  std::vector<Range> ranges_;
  double least_ = 0;  ///< the smallest measured cost
  HeldOutError error_;
  /// Half-widths of the interval inside and outside the samples, as logarithms of the ratio to the
  /// prediction.
  double inside_ = 0, outside_ = 0;
  size_t rows_ = 0;
};

/// Returns the features of the correction: logarithms of the operator's features and of the work, and
/// remainders of the features modulo 8 and 128, which reflect tile and vector sizes. With `has_quotients`,
/// also logarithms of the elements of each tensor, alone and divided by each feature (such as the number of
/// rows): few samples do not show the trees on which products of features the time depends.
std::vector<float> correction_row(const OperatorWork& work, bool has_quotients);

}  // namespace kjoule
