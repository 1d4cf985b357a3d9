#include "prediction/operator_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"
#include "prediction/trained_models.hpp"

namespace kjoule {
namespace {

/// Returns the simulated time in us: 2 us, plus 5e-9 us per FLOP, and 10 % more if k is not a multiple of
/// 128.
double truth(const OperatorWork& work) {
  return (2 + 5e-9 * work.flops) * (std::fmod(work.features[1], 128) == 0 ? 1 : 1.1);
}

struct Sampled {
  OperatorKind kind = *find_operator_kind("linear4");
  std::vector<std::vector<double>> shapes;
  std::vector<double> us;
  Sampled() {
    for (const double b : {2.0, 4.0, 8.0})
      for (double l = 1024; l <= 4096; l += 512)
        for (double dim = 2064; dim <= 4096; dim += 48) shapes.push_back({1, b, l, dim});
    for (const auto& shape : shapes) us.push_back(truth(kind.work(shape)));
  }
};

TEST(OperatorModel, PredictsBetweenAndBeyondSamples) {
  const Sampled sampled;
  const OperatorModel model = OperatorModel::train(sampled.kind, sampled.shapes, sampled.us);
  EXPECT_LT(model.error().cross_validated_percent, 2);
  const std::vector<double> between{1, 4, 2048, 3000};
  EXPECT_NEAR(model.predict(between).value / truth(sampled.kind.work(between)), 1, 0.05);
  EXPECT_TRUE(model.predict(between).outside.empty());
  const std::vector<double> beyond{1, 16, 8192, 8192};
  const Prediction far = model.predict(beyond);
  EXPECT_NEAR(far.value / truth(sampled.kind.work(beyond)), 1, 0.15)
      << "trees alone would stop at the largest sample";
  ASSERT_FALSE(far.outside.empty());
  EXPECT_EQ(far.outside.front(), "b 16 (sampled: 2 to 8)");
  EXPECT_LT(far.low, far.value);
}

TEST(OperatorModel, ALaunchIsNeverForNothing) {
  const OperatorKind kind = make_operator_kind("mine", {"rows"});
  std::vector<std::vector<double>> shapes;
  std::vector<double> us;
  for (double rows = 1e6; rows <= 40e6; rows += 1e6) {
    shapes.push_back({rows});
    us.push_back(rows * 1e-6);  // no fixed cost is to be seen
  }
  EXPECT_DOUBLE_EQ(OperatorModel::train(kind, shapes, us).predict({1}).value, 0.5);
}

TEST(OperatorModel, SizesThatFollowFromTheShapeMayBeOutside) {
  const OperatorKind& attention = *find_operator_kind("flash_atten");
  std::vector<std::vector<double>> shapes;
  std::vector<double> us;
  for (const double heads : {16.0, 32.0, 64.0})
    for (double dim = 1024; dim <= 8192; dim *= 2)
      for (double tokens = 512; tokens <= 4096; tokens *= 2) {
        if (dim / heads > 256) continue;
        shapes.push_back({1, 1, heads, tokens, dim});
        us.push_back(2 + 1e-6 * tokens * tokens * dim / 1024);
      }
  const OperatorModel model = OperatorModel::train(attention, shapes, us);
  EXPECT_EQ(model.predict({1, 1, 16, 1024, 8192}).outside,
            std::vector<std::string>{"head_size 512 (sampled: 16 to 256)"});
  EXPECT_TRUE(model.predict({1, 1, 32, 1024, 8192}).outside.empty());
}

TEST(OperatorModel, IsTheSameAfterWritingAndReading) {
  const Sampled sampled;
  const OperatorModel model = OperatorModel::train(sampled.kind, sampled.shapes, sampled.us);
  const OperatorModel read = OperatorModel::from_json(nlohmann::json::parse(model.json().dump()));
  for (const auto& shape : sampled.shapes) EXPECT_EQ(model.predict(shape).value, read.predict(shape).value);
}

TEST(OperatorModel, AnotherFileIsRefused) {
  const Sampled sampled;
  nlohmann::json json = OperatorModel::train(sampled.kind, sampled.shapes, sampled.us).json();
  json["rows"] = "many";
  EXPECT_THROW(OperatorModel::from_json(json), Error);
  EXPECT_THROW(OperatorModel::from_json(nlohmann::json::array()), Error);
}

TEST(OperatorModel, NumbersOutsideTheirRangesAreRefused) {
  const Sampled sampled;
  const nlohmann::json json = OperatorModel::train(sampled.kind, sampled.shapes, sampled.us).json();
  for (const char* place : {"/roofline/0", "/ranges/0/0", "/error_percent/largest_fifth", "/least_measured",
                            "/interval_log/inside", "/interval_log/outside"})
    for (const double number : {-1.0, -1e300}) {
      nlohmann::json changed = json;
      changed[nlohmann::json::json_pointer(place)] = number;
      EXPECT_THROW(OperatorModel::from_json(changed), Error) << place;
    }
  for (const char* place : {"/interval_log/inside", "/interval_log/outside"}) {
    nlohmann::json changed = json;
    changed[nlohmann::json::json_pointer(place)] = 1e6;  // exp(1e6) is infinite
    EXPECT_THROW(OperatorModel::from_json(changed), Error) << place;
  }
  nlohmann::json changed = json;
  changed["ranges"][0] = {1024, 64};
  EXPECT_THROW(OperatorModel::from_json(changed), Error);
}

TEST(OperatorModel, TooFewRowsAreRefused) {
  EXPECT_THROW(OperatorModel::train(*find_operator_kind("linear4"), {{1, 2, 3, 4}}, {1}), Error);
}

TEST(OperatorModel, OfAnOperatorThatIsNotKnownToo) {
  const OperatorKind kind = make_operator_kind("mine", {"rows", "columns"});
  std::vector<std::vector<double>> shapes;
  std::vector<double> us;
  for (double rows = 64; rows <= 1024; rows += 64)
    for (double columns = 64; columns <= 512; columns *= 2) {
      shapes.push_back({rows, columns});
      us.push_back(3 + rows * columns * 1e-3);
    }
  const OperatorModel model = OperatorModel::train(kind, shapes, us);
  EXPECT_NEAR(model.predict({1000, 300}).value, 303, 30);
}

TEST(Shape, ThatCannotBeIsRefused) {
  const OperatorKind& linear = *find_operator_kind("linear1");
  EXPECT_THROW(check_shape(linear, {1, 2, 3}), Error);
  EXPECT_THROW(check_shape(linear, {1, 2, 0, 4}), Error);
  EXPECT_THROW(check_shape(linear, {1, 2, 1.5, 4}), Error);
  EXPECT_THROW(check_shape(linear, {3, 2, 4, 4096}), Error);
  EXPECT_NO_THROW(check_shape(linear, {2, 2, 4, 4096}));
  const OperatorKind& rope = *find_operator_kind("RoPE");
  EXPECT_THROW(check_shape(rope, {1, 1, 32, 1024, 4000}), Error) << "heads of 125";
  EXPECT_NO_THROW(check_shape(rope, {1, 1, 32, 1024, 4096}));
  const OperatorKind& moe = *find_operator_kind("moe");
  EXPECT_THROW(check_shape(moe, {1, 1, 4096, 4096, 8, 14336, 16}), Error) << "16 of 8 experts";
  EXPECT_NO_THROW(check_shape(moe, {1, 1, 4096, 4096, 8, 14336, 2}));
}

TEST(TrainedModels, AreKeptUntilTheTableChanges) {
  const TemporaryFolder folder;
  const auto write = [&folder](double factor) {
    std::string csv = "rows,dur(us)\n";
    for (int rows = 1; rows <= 60; ++rows)
      csv += std::to_string(rows) + "," + std::to_string(factor * (1 + rows)) + "\n";
    write_atomic(folder / "G_mine_fp16.csv", csv);
  };
  const auto trained = [&folder] {
    TrainedModels models(SampledData::open_folder(folder.path()));
    int count = 0;
    models.on_training = [&count](const std::string&) { ++count; };
    predict_operator(models, "G", "mine", "fp16", Direction::step, {30});
    return count;
  };
  write(1);
  EXPECT_EQ(trained(), 1);
  EXPECT_EQ(trained(), 0);
  write(2);
  EXPECT_EQ(trained(), 1);
  write_atomic(folder / "models/G_mine_fp16_step.json", "{\n  \"format\": \"kjoule regressor\"");
  EXPECT_EQ(trained(), 1) << "a file that was cut off is made again";
}

}  // namespace
}  // namespace kjoule
