#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "prediction/trees.hpp"

namespace kjoule {

/// Hyper-parameters of a random forest, with scikit-learn's names.
struct ForestOptions {
  int n_estimators = 100;
  std::optional<int> max_depth;
  int min_samples_leaf = 1;
  int min_samples_split = 2;
  unsigned seed = 42;
};

/// Trains a random forest for regression. Each tree is trained on rows that are drawn with replacement. Each
/// split minimises the squared error over all features and thresholds. The prediction is the mean of the
/// trees.
///
/// Source: L. Breiman, "Random forests", Machine Learning 45 (2001), with all features tried at every split.
Trees random_forest(const FeatureRows& rows, const std::vector<double>& targets,
                    const ForestOptions& options);

}  // namespace kjoule
