#pragma once
#include <string>
#include <vector>

#include "prediction/trees.hpp"

namespace kjoule {

/// Hyper-parameters of gradient boosting, by XGBoost's names.
struct BoostingOptions {
  int rounds = 300;
  double learning_rate = 0.05;
  int max_depth = 4;
  double min_child_weight = 5;
  double gamma = 0;
  double subsample = 0.8;
  double colsample_bytree = 0.8;
  double huber_slope = 0;  ///< residuals above it count in proportion, not squared; 0: all squared
  int bins = 0;            ///< thresholds that are tried per feature; 0: all
  double start = 0;        ///< prediction before the first tree
  unsigned seed = 42;
};

/// Boosted trees for targets[r] given row r, grown by XGBoost with one thread: the same rows, options and
/// version of the library give the same trees. The library is loaded at the first call. Throws Error when it
/// is not on this machine.
Trees boosted_trees(const FeatureRows& rows, const std::vector<float>& targets,
                    const BoostingOptions& options);

}  // namespace kjoule
