#include "prediction/step.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <optional>

#include "base/error.hpp"
#include "prediction/sampled_data.hpp"

namespace kjoule {
namespace {

TrainingConfiguration example() {
  return read_training_configuration(shipped_training("llemma_7b_4_2_2_P"), "example");
}

/// Models in which every operator takes 10 us forward, 20 us backward and 1000 us per step, and every
/// collective takes 5 us.
class FixedTimes final : public StepModels {
 public:
  OperatorPrediction operation(const std::string&, Direction direction, const std::vector<double>&) override {
    OperatorPrediction prediction;
    prediction.us.value = direction == Direction::forward ? 10 : direction == Direction::backward ? 20 : 1000;
    if (joules) prediction.joules = Prediction{*joules, *joules, *joules, {}, {}};
    return prediction;
  }
  OperatorPrediction collective(const std::string& name, double elements, int nodes, int gpus) override {
    asked.push_back({name, elements, nodes, gpus});
    OperatorPrediction prediction;
    prediction.us.value = 5;
    const double each = name == "p2p" ? transfer_joules : 1;
    if (joules && collectives_too) prediction.joules = Prediction{each, each, each, {}, {}};
    return prediction;
  }
  struct Asked {
    std::string name;
    double elements;
    int nodes, gpus;
  };
  std::vector<Asked> asked;
  std::optional<double> joules;  ///< of every operator
  bool collectives_too = true;   ///< have an energy: 1 J
  double transfer_joules = 1;    ///< but for transfers
};

TEST(Configuration, TheExampleIsRead) {
  const TrainingConfiguration run = example();
  EXPECT_EQ(run.pipeline, 4);
  EXPECT_EQ(run.tensor, 2);
  EXPECT_EQ(run.data, 2);
  EXPECT_EQ(run.layers, 32);
  EXPECT_EQ(run.micro_batches, 8);
  EXPECT_EQ(run.layer_operators.size(), 11u);
}

TEST(Configuration, WhatIsWrongIsNamed) {
  const auto refused = [](std::string yaml, const std::string& from, const std::string& to) {
    yaml.replace(yaml.find(from), from.size(), to);
    try {
      read_training_configuration(yaml, "c.yml");
    } catch (const Error& error) {
      return error.line();
    }
    return std::string();
  };
  const std::string good = shipped_training("llemma_7b_4_2_2_P");
  EXPECT_NE(refused(good, "\"comm_bucket\": 1260000000,", "").find("the key comm_bucket"), std::string::npos);
  EXPECT_NE(refused(good, "\"encoders\"", "\"encoder\"")
                .find("c.yml:9: encoder: this field is not known; did you mean encoders"),
            std::string::npos);
  EXPECT_NE(refused(good, "\"fwd_syncs\":2", "\"fwd_syncs\":2, \"fwd_syncs\":3")
                .find("c.yml:15: fwd_syncs is given twice"),
            std::string::npos);
  EXPECT_NE(refused(good, "['embedding'", "[{swiglu: {ffn: 4, ffn: 5}}").find("c.yml:11: ffn is given twice"),
            std::string::npos);
  EXPECT_NE(refused(good, "['embedding'", "[{swiglu: {fnn: 4}}").find("c.yml:11: swiglu has no fnn"),
            std::string::npos);
  EXPECT_NE(refused(good, "[4, 2, 2, 4", "[4, 2, 4").find("has 8 numbers instead of 9"), std::string::npos);
  EXPECT_NE(refused(good, "[4, 2, 2", "[0, 2, 2").find("pp is not a whole number"), std::string::npos);
  EXPECT_NE(refused(good, "[4, 2, 2, 4, 32, 4096, 4096, 8", "[512, 2, 2, 4, 32, 4096, 4096, 9999")
                .find("pp times steps_per_update is above 1000000"),
            std::string::npos);
  EXPECT_NE(refused(good, "\"fwd_syncs\":2", "\"fwd_syncs\":2, \"power_limit\":0")
                .find("power_limit is not a whole number from 1 to 100000"),
            std::string::npos);
  EXPECT_NE(refused(good, "'linear1'", "'linear7'").find("linear7 is not a known operator"),
            std::string::npos);
  EXPECT_NE(refused(good, "{", "{{").find("c.yml:"), std::string::npos);
}

std::string without_end(const std::string& yaml) {
  return yaml.substr(0, yaml.rfind('}'));
}

TEST(Configuration, OperatorsMayBringSizes) {
  std::string yaml = shipped_training("llemma_7b_4_2_2_P");
  const std::string list = "'linear3', 'gelu', 'linear4', 'res_add'],\n  \"layernorm_name\"";
  ASSERT_NE(yaml.find(list), std::string::npos);
  yaml.replace(yaml.find(list), list.size(),
               "{linear: {inputs: 4096, outputs: 11264}}, {swiglu: {ffn: 11264}}],\n  \"layernorm_name\"");
  const TrainingConfiguration run =
      read_training_configuration(without_end(yaml) + R"("precision": bf16, "recompute": false})", "c.yml");
  EXPECT_EQ(run.precision, "bf16");
  EXPECT_FALSE(run.recomputes);
  const StepOperator& linear = run.layer_operators[run.layer_operators.size() - 2];
  EXPECT_EQ(shape_in(run, linear, 0), (std::vector<double>{4 * 4096, 4096, 11264}));
  EXPECT_EQ(shape_in(run, run.layer_operators.back(), 0), (std::vector<double>{2, 4, 4096, 11264}));
  EXPECT_THROW(shape_in(run, {"swiglu"}, 0), Error) << "no ffn";
}

TEST(Layers, AllAreSharedOut) {
  EXPECT_EQ(divide_layers(32, 4), (std::vector<int>{8, 9, 9, 6}));
  for (const int stages : {1, 2, 3, 5, 8}) {
    const std::vector<int> layers = divide_layers(32, stages);
    EXPECT_EQ(std::accumulate(layers.begin(), layers.end(), 0), 32) << stages;
  }
  EXPECT_THROW(divide_layers(4, 5), Error);
}

TEST(Pipeline, OfEqualStagesTakesSlotsAndBubble) {
  const std::vector<Stage> stages(4, Stage{1, 0, {10}, {20}, {}});
  for (const Schedule schedule : {Schedule::gpipe, Schedule::one_forward_one_backward})
    EXPECT_DOUBLE_EQ(pipeline_duration_us(stages, 8, schedule), (8 + 3) * 30);
}

TEST(Pipeline, WaitsForTheSlowestStageOnlyWhereItMust) {
  const std::vector<Stage> stages{{1, 0, {10}, {20}, {}}, {1, 0, {30}, {60}, {}}, {1, 0, {10}, {20}, {}}};
  const double slowest = (6 + 2) * 90.0;
  for (const Schedule schedule : {Schedule::gpipe, Schedule::one_forward_one_backward}) {
    const double us = pipeline_duration_us(stages, 6, schedule);
    EXPECT_GE(us, 6 * 90 + 10 + 20);
    EXPECT_LT(us, slowest) << "not every slot is the slowest stage's";
  }
  EXPECT_DOUBLE_EQ(pipeline_duration_us(stages, 1, Schedule::gpipe), 150);
}

TEST(Reference, IsTheToolsFormula) {
  FixedTimes times;
  const StepPrediction step = predict_reference_step(example(), times);
  const double layer = 11 * 10 + 2 * 5, layer_back = 11 * 20 + 2 * 5 + layer;
  EXPECT_DOUBLE_EQ(step.stages[0].forward.us, 10 + 5 + 8 * layer + 5);
  EXPECT_DOUBLE_EQ(step.stages[1].backward.us, 9 * layer_back + 5);
  EXPECT_DOUBLE_EQ(step.stages[2].forward.us, 6 * layer + 30);
  EXPECT_DOUBLE_EQ(step.total_us, 11 * (9 * layer + 5 + 9 * layer_back + 5) + 5 + 5 + 1000);
}

TEST(Reference, TooFewLayersAreRefused) {
  FixedTimes times;
  TrainingConfiguration run = example();
  run.layers = 4;  // 9 units for 4 stages: the last one would have -1 layers
  try {
    predict_reference_step(run, times);
    FAIL() << "a stage had a negative number of layers";
  } catch (const Error& error) {
    EXPECT_EQ(error.line(),
              "4 layers are too few for 4 pipeline stages; give a smaller pp in training_config");
  }
}

TEST(Corrected, ReplicasShareTheOptimizerAndANode) {
  TrainingConfiguration run = example();
  FixedTimes times;
  const double two = predict_corrected_step(run, times, Schedule::gpipe).stages[1].update.us;
  run.data = 1;
  const double one = predict_corrected_step(run, times, Schedule::gpipe).stages[1].update.us;
  EXPECT_NEAR(one, 1000, 1) << "without replicas the optimizer runs, too";
  EXPECT_NEAR(two, 500 + 10, 1);
  run.data = 2;
  run.tensor = 1;
  times.asked.clear();
  predict_corrected_step(run, times, Schedule::gpipe);
  for (const auto& asked : times.asked) {
    if (asked.name != "allgather_large") continue;
    EXPECT_EQ(asked.gpus, 2) << "of a node with 4, as there are 2 replicas";
  }
}

TEST(Corrected, ComputesAgainWhereAskedTo) {
  TrainingConfiguration run = example();
  run.pipeline = 1;
  run.layers = 1;
  FixedTimes times;
  const Stage again = predict_corrected_step(run, times, Schedule::gpipe).stages[0];
  run.recomputes = false;
  const Stage kept = predict_corrected_step(run, times, Schedule::gpipe).stages[0];
  EXPECT_DOUBLE_EQ(again.backward.us - kept.backward.us, 11 * 10 + 2 * 5);
  EXPECT_DOUBLE_EQ(again.forward.us, kept.forward.us);
}

TEST(Corrected, ParametersAreThoseOfTheLayersOperators) {
  TrainingConfiguration run = example();
  run.pipeline = run.tensor = 1;
  run.layers = 3;
  run.layer_operators = {{"layernorm"}, {"linear", {{"inputs", 10}, {"outputs", 7}}}};
  FixedTimes times;
  EXPECT_DOUBLE_EQ(predict_corrected_step(run, times, Schedule::gpipe).stages[0].parameters,
                   3 * (2 * 4096 + 70) + 2 * vocabulary_part(1) * 4096 + 4096);
}

TEST(Corrected, TermsAddUpToTheStages) {
  FixedTimes times;
  const StepPrediction step = predict_corrected_step(example(), times, Schedule::one_forward_one_backward);
  EXPECT_EQ(step.stages.size(), 4u);
  EXPECT_DOUBLE_EQ(step.total_us, step.pipeline_us + step.update_us);
  EXPECT_GE(step.pipeline_us, 8 * (step.stages[1].forward.us + step.stages[1].backward.us));
}

TEST(Corrected, EnergyIsOfAllRanks) {
  TrainingConfiguration run = example();
  FixedTimes times;
  EXPECT_FALSE(predict_corrected_step(run, times, Schedule::gpipe).joules) << "nothing is known";
  times.joules = 2;
  run.pipeline = 1;
  run.layers = 1;
  const double layer = 11 * 2 + 2 * 1, forward = layer + 2 + 1 + 3 * 2, backward = 2 * layer + 2 + 3 * 2;
  const double parameters = predict_corrected_step(run, times, Schedule::gpipe).stages[0].parameters;
  const OperatorWork sampled = find_operator_kind("firstStage_optimizer")->work({2, 4096, 1});
  const double update = 2 * parameters / (sampled.streams[0] + sampled.streams[2]) / 2;
  const double buckets = std::ceil(parameters / run.bucket) + std::ceil(parameters / 2 / run.bucket);
  const auto joules = predict_corrected_step(run, times, Schedule::gpipe).joules;
  ASSERT_TRUE(joules);
  EXPECT_NEAR(*joules, 4 * (8 * (forward + backward) + update + buckets), 1e-6);
  run.pipeline = 2;
  run.layers = 8;
  const double before = *predict_corrected_step(run, times, Schedule::gpipe).joules;
  times.transfer_joules = 3;
  const double transfers = 8 * 2, ends = 2, pairs = 4;  // of each micro-batch forward and back
  EXPECT_NEAR(*predict_corrected_step(run, times, Schedule::gpipe).joules - before,
              2 * transfers * ends * pairs, 1e-6);
  times.collectives_too = false;
  EXPECT_FALSE(predict_corrected_step(run, times, Schedule::gpipe).joules) << "collectives lack";
}

TEST(Corrected, APowerLimitHoldsBackWhatDrawsMore) {
  TrainingConfiguration run = example();
  FixedTimes times;
  times.joules = 0.01;  // of 10 us: 1000 W
  times.collectives_too = false;
  run.pipeline = run.tensor = run.data = 1;
  run.forward_syncs = run.backward_syncs = 0;
  const StepPrediction free = predict_corrected_step(run, times, Schedule::gpipe);
  const double watts = *free.joules / (free.total_us * 1e-6);
  run.power_limit_w = std::floor(watts) - 100;
  const StepPrediction limited = predict_corrected_step(run, times, Schedule::gpipe);
  ASSERT_TRUE(limited.stages[0].slowdown);
  EXPECT_NEAR(limited.stages[0].slowdown->watts, watts, 1e-6 * watts);
  EXPECT_NEAR(limited.total_us, free.total_us * std::pow(watts / *run.power_limit_w, 0.6),
              1e-6 * limited.total_us);
  EXPECT_NEAR(*limited.joules / (limited.total_us * 1e-6), *run.power_limit_w, 1e-6 * watts);
  run.power_limit_w = std::ceil(watts);
  EXPECT_DOUBLE_EQ(predict_corrected_step(run, times, Schedule::gpipe).total_us, free.total_us);
  times.joules = {};
  EXPECT_THROW(predict_corrected_step(run, times, Schedule::gpipe), Error) << "energy is not known";
}

}  // namespace
}  // namespace kjoule
