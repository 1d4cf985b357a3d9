#include "prediction/own_operator.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "prediction/operator_model.hpp"
#include "prediction/training_configuration.hpp"

namespace kjoule {
namespace {

std::string configuration(const std::string& keys) {
  return "{kernel_name: mine, columns_name: [mp, b, l, dim, F_dur(us), B_dur(us)], " + keys + "}";
}

void expect_refused(const std::string& keys, const std::string& cause) {
  try {
    read_own_operator(configuration(keys), "mine.yml");
    ADD_FAILURE() << keys << " was accepted";
  } catch (const Error& error) {
    EXPECT_NE(error.line().find(cause), std::string::npos) << error.line();
    EXPECT_EQ(error.line().rfind("mine.yml:1: ", 0), 0U) << error.line();
  }
}

TEST(OwnOperators, FeaturesAreFormulasOfTheShape) {
  const auto own =
      read_own_operator(configuration("features: [b*l, dim*4/mp], parameters: 4*dim*dim/mp + dim"), "m");
  ASSERT_TRUE(own);
  EXPECT_EQ(own->kind.columns, (std::vector<std::string>{"mp", "b", "l", "dim"}));
  const OperatorWork work = own->kind.work({2, 4, 1024, 2048});
  EXPECT_EQ(work.features, (std::vector<double>{4096, 4096}));
  EXPECT_EQ(work.amount(), 4096.0 * 4096);
  EXPECT_EQ(work.parameters, 4 * 2048.0 * 2048 / 2 + 2048);
}

TEST(OwnOperators, FeaturesMayHaveFractions) {
  const auto own = read_own_operator(configuration("features: [dim/mp]"), "m");
  EXPECT_EQ(own->kind.work({4, 1, 1, 10}).features, std::vector<double>{2.5});
}

TEST(OwnOperators, NothingIsReadWithoutTheirKeys) {
  EXPECT_FALSE(read_own_operator(configuration("active: 6"), "m"));
  EXPECT_FALSE(read_own_operator("[1, 2]", "m"));
}

TEST(OwnOperators, AMisspeltKeyIsNotIgnored) {
  expect_refused("featurs: [b*l]", "featurs: this field is not known; did you mean features");
  expect_refused("active: 6, active: 7", "active is given twice");
}

TEST(OwnOperators, FaultsNameTheirLine) {
  expect_refused(
      "features: [b*seq]",
      "features: \"b*seq\" contains seq, which is not the name of a size; the sizes are b, dim, l, mp");
  expect_refused("features: [__import__('os')]", "contains __import__, which is not the name of a size");
  expect_refused("features: [b**l]", "is not a formula");
  expect_refused("features: []", "mine has 0 features; give 1 to 8 formulas");
  expect_refused("features: [b, b, b, b, b, b, b, b, b]", "mine has 9 features");
  expect_refused("features: b", "features: the value is not a list");
  expect_refused("features: [[b]]", "contains a value that is not a text");
  expect_refused("features: [" + std::string(200, '(') + "b" + std::string(200, ')') + "]",
                 "is nested too deeply");
  expect_refused("parameters: width", "parameters: \"width\" contains width");
  expect_refused("step_shape: [b]", "step_shape: the value is not a map");
  expect_refused("step_shape: {rows: b}", "rows: this field is not known; did you mean");
  expect_refused("step_shape: {b: tokens}", "step_shape: \"tokens\" contains tokens");
  EXPECT_THROW(read_own_operator("{kernel_name: gelu, columns_name: [b, F_dur(us)], features: [b]}", "m"),
               Error);
}

TEST(OwnOperators, EveryFeatureIsANumberAboveZero) {
  const auto own = read_own_operator(configuration("features: [b*l, dim/(mp-1)]"), "m");
  EXPECT_NO_THROW(check_shape(own->kind, {2, 4, 1024, 2048}));
  EXPECT_THROW(check_shape(own->kind, {1, 4, 1024, 2048}), Error) << "dim/0";
  std::vector<std::vector<double>> shapes;
  for (double b = 1; b <= 30; ++b) shapes.push_back({1, b, 1024, 2048});
  EXPECT_THROW(OperatorModel::train(own->kind, shapes, std::vector<double>(shapes.size(), 1)), Error);
}

TEST(OwnOperators, AStoredModelKeepsItsFormulas) {
  const auto own = read_own_operator(configuration("features: [b*l, dim*4/mp]"), "m");
  std::vector<std::vector<double>> shapes;
  std::vector<double> us;
  for (const double b : {1, 2, 4, 8})
    for (const double l : {256, 512, 1024})
      for (const double dim : {512, 1024, 2048}) {
        shapes.push_back({2, b, l, dim});
        us.push_back(3 + 1e-5 * b * l * dim);
      }
  const OperatorModel model = OperatorModel::train(own->kind, shapes, us);
  nlohmann::json json = model.json();
  EXPECT_EQ(json["features"], (nlohmann::json{"b*l", "dim*4/mp"}));
  const OperatorModel again = OperatorModel::from_json(json);
  const std::vector<double> shape{2, 4, 768, 1536};
  EXPECT_EQ(again.predict(shape).value, model.predict(shape).value);
  EXPECT_EQ(again.predict(shape).features, (std::vector<double>{4 * 768, 3072}));
  EXPECT_NEAR(again.predict(shape).value / (3 + 1e-5 * 4 * 768 * 1536), 1, 0.05);
  json["features"] = {"b*l", "system(dim)"};
  EXPECT_THROW(OperatorModel::from_json(json), Error);
}

TEST(OwnOperators, ATrainingStepHasTheirShapes) {
  const auto own = read_own_operator(
      "{kernel_name: mine, columns_name: [rows, wide, mp, F_dur(us)], step_shape: {rows: b*l, wide: "
      "4*dim/mp}}",
      "m");
  TrainingConfiguration run;
  run.tensor = 2;
  run.batch = 4;
  run.tokens = 128;
  run.width = 1024;
  run.own_operators.emplace("mine", *own);
  EXPECT_EQ(shape_in(run, {"mine"}, 0), (std::vector<double>{512, 2048, 2}));
  EXPECT_EQ(shape_in(run, {"mine", {{"wide", 96}}}, 0), (std::vector<double>{512, 96, 2}));
  run.tensor = 3;
  EXPECT_THROW(shape_in(run, {"mine"}, 0), Error) << "4096/3";
}

}  // namespace
}  // namespace kjoule
