#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "prediction/trees.hpp"

namespace kjoule {

/// Hyper-parameters of a random forest, by the names that scikit-learn gives them.
struct ForestOptions {
  int n_estimators = 100;
  std::optional<int> max_depth;
  int min_samples_leaf = 1;
  int min_samples_split = 2;
  unsigned seed = 42;
};

/// A forest for regression: each tree is grown on rows drawn with replacement, every split is the one of all
/// features and thresholds that leaves the least squared error, and the prediction is the mean of the trees'.
/// Source: L. Breiman, "Random forests", Machine Learning 45 (2001), with all features tried at every split.
Trees random_forest(const FeatureRows& rows, const std::vector<double>& targets,
                    const ForestOptions& options);

}  // namespace kjoule
