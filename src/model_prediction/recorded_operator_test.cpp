#include "model_prediction/recorded_operator.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace kjoule {
namespace {

using Json = nlohmann::json;

Json recorded_tensor(const std::vector<int64_t>& shape, int storage, const std::string& dtype = "Half") {
  return {{"tensor", {{"dtype", dtype}, {"shape", shape}, {"storage", storage}}}};
}

Launch launch_of(const std::string& name, const Json& arguments, const Json& outputs,
                 const Json& writes = {}) {
  Json detail{{"operator", name}, {"arguments", arguments}, {"outputs", outputs}};
  if (!writes.is_null()) detail["writes"] = writes;
  return {name, Tier::unknown, name + arguments.dump(), detail};
}

RecordedOperators read(std::vector<Launch> launches, const std::optional<std::string>& precision = {}) {
  Recording recording;
  recording.launches = std::move(launches);
  return recorded_operators(recording, "r.jsonl", precision);
}

std::string refused(const Launch& launch) {
  try {
    read({launch});
  } catch (const Error& error) {
    return error.line();
  }
  return {};
}

TEST(RecordedOperators, CountsCallsAndBytes) {
  const Launch add =
      launch_of("aten::add.Tensor", {recorded_tensor({4, 8}, 1), recorded_tensor({4, 8}, 2), 1},
                {recorded_tensor({4, 8}, 3)});
  const RecordedOperators all = read({add, add, add});
  ASSERT_EQ(all.launching.size(), 1U);
  const RecordedOperator& one = all.launching[0];
  EXPECT_EQ(one.name, "aten::add");
  EXPECT_EQ(one.calls, 3U);
  EXPECT_EQ(one.bytes_read(), 128);
  EXPECT_EQ(one.bytes_written(), 64);
}

TEST(RecordedOperators, ViewsAndSizesLaunchNothing) {
  const Json tensor = recorded_tensor({4, 8}, 1);
  const RecordedOperators all = read(
      {launch_of("aten::view", {tensor, Json::array({32})}, {recorded_tensor({32}, 1)}),
       launch_of("aten::size.int", {tensor, 0}, Json::array({4})),
       launch_of("aten::empty", {Json::array({4})}, {recorded_tensor({4}, 5)}),
       launch_of("aten::mul.Scalar", {recorded_tensor({}, 6, "Long"), 16}, {recorded_tensor({}, 7, "Long")}),
       launch_of("aten::clone", {tensor}, {recorded_tensor({4, 8}, 9)})});
  EXPECT_EQ(all.calls_without_work, 4U);
  ASSERT_EQ(all.launching.size(), 1U);
  EXPECT_EQ(all.launching[0].name, "aten::clone");
}

TEST(RecordedOperators, ChangedTensorsAreWritten) {
  const Json tensor = recorded_tensor({4, 8}, 1);
  const RecordedOperators all =
      read({launch_of("aten::add_.Tensor", {tensor, 1, 1}, {tensor}, Json::array({1}))});
  ASSERT_EQ(all.launching.size(), 1U);
  EXPECT_EQ(all.launching[0].name, "aten::add");
  EXPECT_EQ(all.launching[0].bytes_written(), 64);
}

TEST(RecordedOperators, RepeatedElementsAreReadOnce) {
  Json expanded = recorded_tensor({16, 8}, 1);
  expanded["tensor"]["strides"] = {0, 1};
  EXPECT_EQ(
      read({launch_of("aten::neg", {expanded}, {recorded_tensor({16, 8}, 2)})}).launching[0].bytes_read(),
      16);
}

TEST(RecordedOperators, FloatIsTakenAsTheRequestedType) {
  const Launch neg =
      launch_of("aten::neg", {recorded_tensor({8}, 1, "Float")}, {recorded_tensor({8}, 2, "Float")});
  EXPECT_EQ(read({neg}).launching[0].bytes_read(), 32);
  EXPECT_EQ(read({neg}, "bf16").launching[0].bytes_read(), 16);
  EXPECT_EQ(read({neg}, "bf16").launching[0].inputs[0].dtype, "BFloat16");
}

TEST(RecordedOperators, DamagedTensorsAreRefused) {
  const auto with = [](const Json& shape, const std::string& dtype = "Half") {
    const Json tensor = {{"tensor", {{"dtype", dtype}, {"shape", shape}, {"storage", 1}}}};
    return refused(launch_of("aten::neg", {tensor}, {tensor}));
  };
  EXPECT_EQ(with({-1}), "r.jsonl: aten::neg: a tensor's size is not a whole number; record the model again");
  EXPECT_EQ(with({1.5}), with({-1}));
  EXPECT_EQ(with("x"), "r.jsonl: aten::neg: a tensor's shape is not a list; record the model again");
  EXPECT_EQ(with({1000000000, 1000000000}),
            "r.jsonl: aten::neg: a tensor is larger than any memory; record the model again");
  EXPECT_EQ(with({1}, "Nibble"),
            "r.jsonl: aten::neg: a tensor has a type that is not known; record the model again");
  EXPECT_EQ(refused(launch_of("aten::neg", {{{"tensor", {{"dtype", 5}}}}}, Json::array())),
            "r.jsonl: aten::neg: a field of a tensor is missing, or of another type; record the model again");
}

TEST(RecordedOperators, TypesThatCannotBePredictedAreNamed) {
  const Json quantized = recorded_tensor({4, 8}, 1, "QInt8"), bits = recorded_tensor({4, 8}, 2, "Bits8");
  const RecordedOperators all =
      read({launch_of("quantized::add", {quantized}, {recorded_tensor({4, 8}, 3)}),
            launch_of("aten::copy_", {recorded_tensor({4, 8}, 4)}, {bits}),
            launch_of("aten::view", {quantized}, {quantized}),
            launch_of("aten::neg", {recorded_tensor({8}, 5)}, {recorded_tensor({8}, 6)})});
  ASSERT_EQ(all.launching.size(), 3U);
  EXPECT_EQ(all.launching[0].foreign_type, "QInt8");
  EXPECT_EQ(all.launching[1].foreign_type, "Bits8");
  EXPECT_EQ(all.launching[2].foreign_type, "");
  EXPECT_EQ(all.calls_without_work, 1U);
}

TEST(RecordedOperators, KernelsOfAGpuAreRefused) {
  EXPECT_EQ(refused({"gemm", Tier::unknown, "s", Json::object()}),
            "r.jsonl: the launch gemm has no operator and no tensor sizes, from which it could be predicted; "
            "record the model on the CPU: kjoule record --device cpu --model MODEL");
}

}  // namespace
}  // namespace kjoule
