#include "torch/called_operator.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "torch/stopwatches.hpp"

namespace kjoule::runner {
namespace {

OperatorCall call(const char* name, const char* dtype) {
  return {name, {{{"tensor", {{"dtype", dtype}, {"shape", {4, 8}}, {"strides", {8, 1}}}}}}};
}

double time_pass_us(Direction& direction) {
  const auto watch = make_stopwatch(at::kCPU);
  if (direction.prepare) direction.prepare();
  direction.run(*watch);
  return watch->take_us();
}

TEST(CalledOperator, HasTheBackwardThatAutogradHas) {
  Directions silu = make_called_operator(call("aten::silu", "Float"), CallableOperators(), at::kCPU, true);
  for (int pass = 0; pass < 2; ++pass)
    for (const char* name : {"forward", "backward"}) EXPECT_GT(time_pass_us(silu.at(name)), 0) << name;
  EXPECT_FALSE(silu.at("forward").flops.has_value()) << "a schema does not state the work";
}

TEST(CalledOperator, MayHaveNone) {
  Directions sign = make_called_operator(call("aten::isnan", "Float"), CallableOperators(), at::kCPU, false);
  EXPECT_EQ(sign.size(), 1u);
  EXPECT_GT(time_pass_us(sign.at("forward")), 0);
  Directions wanted = make_called_operator(call("aten::isnan", "Float"), CallableOperators(), at::kCPU, true);
  EXPECT_THROW(time_pass_us(wanted.at("forward")), Error);
}

std::string error_of(const char* name) {
  try {
    make_called_operator(call(name, "Float"), CallableOperators(), at::kCPU, false);
  } catch (const Error& error) {
    return error.line();
  }
  return "none";
}

TEST(CalledOperator, OneThatCannotBeCalledIsReportedInTermsOfOperators) {
  const auto expect_error = [](const char* name, const char* text) {
    const std::string error = error_of(name);
    EXPECT_NE(error.find(text), std::string::npos) << error;
    for (const char* others : {"trace", "measure the program itself with kjoule compare -- PROGRAM"})
      EXPECT_EQ(error.find(others), std::string::npos)
          << "whoever wrote the operator had no trace: " << error;
  };
  expect_error("aten::siluu", "aten::siluu is not a known operator of this libtorch (");
  expect_error("aten::siluu", "; did you mean aten::silu,");
  expect_error("aten::pow.Tensor_Scalr", "; did you mean aten::pow.Tensor_Scalar,");
  expect_error("silu", "; did you mean aten::silu,");
  expect_error("triton_poi_fused_0",
               "; kjoule cannot call operators of other libraries or of compiled programs");
  expect_error("aten::pow.Tensor_Scalar", "no overload of aten::pow.Tensor_Scalar in this libtorch (");
  expect_error("aten::pow.Tensor_Scalar",
               ") takes these 1 arguments; give the arguments of its schema: "
               "aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor");
  expect_error("aten::nonzero", "its amount of work depends on the values in its tensors");
}

TEST(WallStopwatch, LastsFromTheFirstStartToTheLastStop) {
  const auto watch = make_stopwatch(at::kCPU);
  EXPECT_THROW(watch->take_us(), Error) << "nothing was timed";
  watch->start();
  watch->stop();
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(2)) {
  }
  watch->start();  // does not start the watch again
  watch->stop();
  EXPECT_GE(watch->take_us(), 2000);
  EXPECT_THROW(watch->take_us(), Error) << "a time is taken once";
}

}  // namespace
}  // namespace kjoule::runner
