#include "prediction/trees.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "prediction/boosting.hpp"
#include "prediction/forest.hpp"

namespace kjoule {
namespace {

ForestOptions of_trees(int count) {
  ForestOptions options;
  options.n_estimators = count;
  return options;
}

struct Steps {
  FeatureRows rows{2, {}};
  std::vector<double> targets;
  Steps() {
    for (int i = 0; i < 200; ++i) {
      rows.append({static_cast<float>(i % 20), std::floor(static_cast<float>(i) / 20)});
      targets.push_back((i % 20 < 10 ? 1 : 2) + (i / 20 < 5 ? 10 : 30));
    }
  }
};

TEST(Forest, LearnsSteps) {
  const Steps steps;
  const Trees forest = random_forest(steps.rows, steps.targets, of_trees(50));
  for (size_t r = 0; r < steps.rows.count(); ++r)
    EXPECT_NEAR(forest.predict(steps.rows.row(r)), steps.targets[r], 1e-4);
}

TEST(Forest, KeepsToItsLimits) {
  const Steps steps;
  ForestOptions options = of_trees(5);
  options.max_depth = 1;
  const Trees stumps = random_forest(steps.rows, steps.targets, options);
  EXPECT_EQ(stumps.nodes(), 15u) << "a root and two leaves each";
  options = of_trees(5);
  options.min_samples_split = 1000;
  const Trees roots = random_forest(steps.rows, steps.targets, options);
  EXPECT_EQ(roots.nodes(), 5u);
}

TEST(Forest, SameSeedSameTrees) {
  const Steps steps;
  const auto train_trees = [&](unsigned seed) {
    ForestOptions options = of_trees(3);
    options.seed = seed;
    options.min_samples_leaf = 30;  // leaves are means of rows that differ
    return random_forest(steps.rows, steps.targets, options).json();
  };
  EXPECT_EQ(train_trees(1), train_trees(1));
  EXPECT_NE(train_trees(1), train_trees(2));
}

TEST(Boosting, LearnsSteps) {
  const Steps steps;
  for (const int bins : {0, 64}) {
    BoostingOptions options;
    options.bins = bins;
    options.start = 20;
    const Trees trees = boosted_trees(steps.rows, {steps.targets.begin(), steps.targets.end()}, options);
    for (size_t r = 0; r < steps.rows.count(); ++r)
      EXPECT_NEAR(trees.predict(steps.rows.row(r)), steps.targets[r], 0.1) << bins;
  }
}

TEST(Trees, AreTheSameAfterWritingAndReading) {
  const Steps steps;
  const Trees trees = boosted_trees(steps.rows, {steps.targets.begin(), steps.targets.end()}, {});
  const Trees read = Trees::from_json(nlohmann::json::parse(trees.json().dump()), 2);
  for (size_t r = 0; r < steps.rows.count(); ++r)
    EXPECT_EQ(trees.predict(steps.rows.row(r)), read.predict(steps.rows.row(r)));
}

TEST(Trees, ThatWouldReadBeyondARowAreRefused) {
  nlohmann::json json = random_forest(Steps().rows, Steps().targets, of_trees(1)).json();
  EXPECT_THROW(Trees::from_json(json, 1), Error);
  for (const auto& left : {nlohmann::json(0), nlohmann::json(1.5), nlohmann::json(1e67)}) {
    json["left"][0] = left;  // 0: a loop
    EXPECT_THROW(Trees::from_json(json, 2), Error) << left;
  }
}

TEST(Trees, WithNumbersOutsideTheirRangesAreRefused) {
  const nlohmann::json json = random_forest(Steps().rows, Steps().targets, of_trees(1)).json();
  for (const double number : {1e39, -1e39}) {  // infinite as a float
    nlohmann::json changed = json;
    changed["threshold"][0] = number;
    EXPECT_THROW(Trees::from_json(changed, 2), Error) << number;
  }
  for (const double number : {1e6, -1e6}) {
    nlohmann::json changed = json;
    changed["start"] = number;
    EXPECT_THROW(Trees::from_json(changed, 2), Error) << number;
    changed = json;
    changed["threshold"].back() = number;  // the last node is a leaf
    EXPECT_THROW(Trees::from_json(changed, 2), Error) << number;
  }
}

}  // namespace
}  // namespace kjoule
