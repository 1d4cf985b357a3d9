#pragma once
#include <array>
#include <optional>
#include <vector>

#include "prediction/gpu_rates.hpp"
#include "prediction/operator_model.hpp"

namespace kjoule {

/// Predicts the time of an operator on one GPU, the target, from the model of another GPU, the source. The
/// three parts of the source's roofline (launch, arithmetic, memory) are scaled; without rows of the target
/// by the ratio of the peak rates, with rows by the scales that fit them, close to these ratios.
class TransferredModel {
 public:
  /// From this number of rows on, the interval follows from them: it is their largest error when each is left
  /// out, which 90 % of further rows do not exceed.
  static constexpr size_t kRowsForInterval = 9;
  static constexpr size_t kFewestRows = 3;

  /// Scales the model by the peak rates only. `source` must outlive the object.
  static TransferredModel scale(const OperatorModel& source, const GpuRates& from, const GpuRates& to);
  /// Fits the scales to rows of the target in us, at least kFewestRows, whose columns are the source's.
  /// Throws Error if there are fewer, or as check_features().
  static TransferredModel fit(const OperatorModel& source, const GpuRates& from, const GpuRates& to,
                              const std::vector<std::vector<double>>& shapes, const std::vector<double>& us);

  Prediction predict(const std::vector<double>& shape) const;
  /// Returns the factors of launch, arithmetic and memory.
  const std::array<double, 3>& scales() const { return scales_; }
  /// Returns the share of the source's correction that is applied.
  double correction_share() const { return correction_share_; }
  size_t rows() const { return rows_; }  ///< number of rows of the target
  /// Returns the mean error of a row that is left out, in %; nothing without rows.
  const std::optional<double>& left_out_percent() const { return left_out_percent_; }

 private:
  TransferredModel(const OperatorModel& source, std::array<double, 3> scales)
      : source_(&source), scales_(scales) {}

  const OperatorModel* source_;
  std::array<double, 3> scales_;
  double correction_share_ = 1;
  size_t rows_ = 0;
  std::optional<double> left_out_percent_;
  std::optional<double> half_width_log_;  ///< from the rows; nothing if there are too few
};

}  // namespace kjoule
