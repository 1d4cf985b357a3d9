#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "prediction/operator_kind.hpp"
#include "prediction/roofline.hpp"
#include "prediction/trees.hpp"

namespace kjoule {

/// Time (us) or energy (J) of one shape, with the interval that is to hold 90 % of measurements.
struct Prediction {
  double value = 0, low = 0, high = 0;
  std::vector<double> features;
  std::vector<std::string>
      outside;  ///< "l 8192 (sampled: 1024 to 5120)", one for every size beyond what was sampled
};

/// Mean absolute error on rows that were kept from training, % of what was measured.
struct HeldOutError {
  double random_percent = 0;   ///< rows drawn at random: how well it predicts between samples
  double largest_percent = 0;  ///< the fifth with the most work: how well it predicts beyond them
};

/// Predicts time or energy from shape: a roofline times exp(correction), the correction grown by boosting on
/// the logarithm of what the roofline leaves. Between samples the correction is the one that follows them
/// closest; beyond them it is the mean of several, since each goes astray there in its own way. With and
/// without corrections, the method with the lesser product of the two errors is taken.
class OperatorModel {
 public:
  static constexpr size_t kFewestRows = 20;

  /// Predictions have the unit of `costs`, which are above zero. Throws Error when there are fewer than
  /// kFewestRows rows, or XGBoost is missing.
  static OperatorModel train(const OperatorKind& kind, const std::vector<std::vector<double>>& shapes,
                             const std::vector<double>& costs, unsigned seed = 42);
  /// Throws Error when `json` is no such model.
  static OperatorModel from_json(const nlohmann::json& json);
  nlohmann::json json() const;

  /// The shape must have as many numbers as kind() has columns.
  Prediction predict(const std::vector<double>& shape) const;
  const OperatorKind& kind() const { return kind_; }
  const HeldOutError& error() const { return error_; }
  const std::string& method() const { return method_; }
  size_t rows() const { return rows_; }

 private:
  struct Range {
    double least, most;
  };
  enum class Where { between, beyond };  ///< samples
  struct Fitted {
    Roofline roofline;
    std::vector<Trees> corrections;  ///< the first one between samples, the mean of all beyond them
    double log_cost(const OperatorWork& work, Where where) const;
  };
  struct Table;
  struct Method;

  OperatorModel(OperatorKind kind, Fitted fitted) : kind_(std::move(kind)), fitted_(std::move(fitted)) {}
  static const std::vector<Method>& methods();
  /// Fit to predict `where`: what is needed only beyond samples is left out of one for between them.
  static Fitted fit(const Table& table, const std::vector<size_t>& rows, const Method& method, Where where,
                    unsigned seed);
  static std::vector<double> residuals(const Fitted& fitted, const Table& table,
                                       const std::vector<size_t>& rows, Where where);
  /// What of `sizes`, in the order of ranges_, was not sampled, in words.
  std::vector<std::string> outside(const std::vector<double>& sizes) const;

  OperatorKind kind_;
  Fitted fitted_;
  std::string method_;
  std::vector<Range> ranges_;  ///< of the columns, then of the amount of work, then of the features
  double least_ = 0;           ///< cost that was measured
  HeldOutError error_;
  double inside_ = 0,
         outside_ = 0;  ///< half-widths of the interval, as logarithms of the ratio to the prediction
  size_t rows_ = 0;
};

/// What the correction is given of a shape: logarithms of features and of the work, and remainders of the
/// features by 8 and 128, in which tiles and vector widths show.
std::vector<float> correction_row(const OperatorWork& work);

}  // namespace kjoule
