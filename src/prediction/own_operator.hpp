#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/text/expression.hpp"
#include "prediction/operator_kind.hpp"

namespace kjoule {

/// An operator of the user's own, as the keys features, step_shape and parameters of its sampling
/// configuration describe it (docs/guide/predict.md).
struct OwnOperator {
  OperatorKind kind;
  /// Formulas of the sizes of a training step, by column of the operator's table. Columns without a formula
  /// are sizes of the step themselves.
  std::map<std::string, std::string> step_shape;

  /// Returns the value of a column in a training step with these sizes, or no value if it has no formula.
  /// Throws Error if the formula has no value.
  std::optional<double> step_size(const std::string& column, const Sizes& sizes) const;
};

/// Returns the names of the sizes of a training step, of which the formulas of OwnOperator::step_shape
/// consist.
const std::vector<std::string>& step_size_names();

/// Reads the operator's formulas from a sampling configuration in YAML. Returns no value if the configuration
/// has none of the three keys. Throws Error "FILE:LINE: cause" if a key has a wrong form, or a formula is not
/// one of the operator's columns. All other keys are left to kjoule sample.
std::optional<OwnOperator> read_own_operator(const std::string& yaml, const std::string& file);

}  // namespace kjoule
