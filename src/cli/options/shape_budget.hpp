#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "prediction/operator_model.hpp"
#include "prediction/shape_choice.hpp"
#include "sampling/configuration.hpp"

namespace kjoule {

/// Chooses the shapes of a sweep within a budget, and reports the error of a model of the chosen shapes on
/// the random fifth of them.
class ShapeBudget {
 public:
  explicit ShapeBudget(OperatorKind kind) : kind_(std::move(kind)) {}

  std::vector<size_t> choose(const std::vector<SampleShape>& sweep,
                             const std::map<size_t, std::vector<double>>& measured, size_t left) {
    if (!choice_) {
      for (const SampleShape& shape : sweep) shapes_.emplace_back(shape.begin(), shape.end());
      choice_.emplace(kind_, shapes_);
    }
    measured_ = measured;
    return left == 0 ? std::vector<size_t>() : choice_->next_batch(measured, left);
  }

  /// The error of one direction on random shapes that were not used for training.
  struct BudgetError {
    std::string column;
    size_t rows = 0;
    double mean_percent = 0;
    double covered_percent = 0;  ///< share of the times inside the 90 % interval
  };
  /// Returns an error for each of `columns`, the columns of times; none if there are too few rows.
  std::vector<BudgetError> errors(const std::vector<std::string>& columns) const {
    std::vector<BudgetError> all;
    for (size_t column = 0; choice_ && column < columns.size(); ++column)
      if (const auto error = error_of(columns[column], column)) all.push_back(*error);
    return all;
  }

 private:
  std::optional<BudgetError> error_of(const std::string& name, size_t column) const {
    const std::vector<size_t> random = choice_->reserved(measured_.size());
    std::vector<std::vector<double>> shapes, held_out;
    std::vector<double> us, held_out_us;
    for (const auto& [number, times] : measured_) {
      if (times.size() <= column) continue;
      const bool is_random = std::find(random.begin(), random.end(), number) != random.end();
      (is_random ? held_out : shapes).push_back(shapes_[number]);
      (is_random ? held_out_us : us).push_back(times[column]);
    }
    if (shapes.size() < OperatorModel::kFewestRows || held_out.empty()) return {};
    const OperatorModel model = OperatorModel::train(kind_, shapes, us);
    BudgetError error{name, held_out.size()};
    for (size_t r = 0; r < held_out.size(); ++r) {
      const Prediction prediction = model.predict(held_out[r]);
      const double share = 100.0 / static_cast<double>(held_out.size());
      error.mean_percent += share * std::abs(prediction.value / held_out_us[r] - 1);
      if (prediction.low <= held_out_us[r] && held_out_us[r] <= prediction.high)
        error.covered_percent += share;
    }
    return error;
  }

  OperatorKind kind_;
  std::vector<std::vector<double>> shapes_;
  std::optional<ShapeChoice> choice_;
  std::map<size_t, std::vector<double>> measured_;
};

}  // namespace kjoule
