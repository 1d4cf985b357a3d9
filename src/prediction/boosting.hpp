#pragma once
#include <string>
#include <vector>

#include "prediction/trees.hpp"

namespace kjoule {

/// Hyper-parameters of gradient boosting, with XGBoost's names.
struct BoostingOptions {
  int rounds = 300;
  double learning_rate = 0.05;
  int max_depth = 4;
  double min_child_weight = 5;
  double gamma = 0;
  double subsample = 0.8;
  double colsample_bytree = 0.8;
  /// The loss is linear for residuals above this value and quadratic below (pseudo-Huber); 0: always
  /// quadratic.
  double huber_slope = 0;
  int bins = 0;      ///< number of thresholds that are tried for each feature; 0: all
  double start = 0;  ///< prediction before the first tree
  unsigned seed = 42;
};

/// Trains boosted trees to predict targets[r] from row r. XGBoost uses one thread, so the same rows, options
/// and library version give the same trees. XGBoost is loaded at the first call. Throws Error if it is not
/// installed.
Trees boosted_trees(const FeatureRows& rows, const std::vector<float>& targets,
                    const BoostingOptions& options);

}  // namespace kjoule
