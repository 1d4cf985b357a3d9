#include "called_operator.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "stopwatches.hpp"

namespace kjoule::child {
namespace {

OperatorCall call(const char* name, const char* dtype) {
  return {name, {{{"tensor", {{"dtype", dtype}, {"shape", {4, 8}}, {"strides", {8, 1}}}}}}};
}

double timed_us(Direction& direction) {
  const auto watch = make_stopwatch(at::kCPU);
  if (direction.prepare) direction.prepare();
  direction.run(*watch);
  return watch->take_us();
}

TEST(CalledOperator, HasTheBackwardThatAutogradHas) {
  Directions silu = called_operator(call("aten::silu", "Float"), at::kCPU, true);
  for (int pass = 0; pass < 2; ++pass)
    for (const char* name : {"forward", "backward"}) EXPECT_GT(timed_us(silu.at(name)), 0) << name;
  EXPECT_FALSE(silu.at("forward").flops.has_value()) << "a schema does not tell the work";
}

TEST(CalledOperator, MayHaveNone) {
  Directions sign = called_operator(call("aten::isnan", "Float"), at::kCPU, false);
  EXPECT_EQ(sign.size(), 1u);
  EXPECT_GT(timed_us(sign.at("forward")), 0);
  Directions wanted = called_operator(call("aten::isnan", "Float"), at::kCPU, true);
  EXPECT_THROW(timed_us(wanted.at("forward")), Error);
  EXPECT_THROW(called_operator(call("aten::nothing", "Float"), at::kCPU, false), Error);
}

TEST(WallStopwatch, LastsFromTheFirstStartToTheLastStop) {
  const auto watch = make_stopwatch(at::kCPU);
  EXPECT_THROW(watch->take_us(), Error) << "nothing was timed";
  watch->start();
  watch->stop();
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(2)) {
  }
  watch->start();  // not a new beginning
  watch->stop();
  EXPECT_GE(watch->take_us(), 2000);
  EXPECT_THROW(watch->take_us(), Error) << "a time is taken once";
}

}  // namespace
}  // namespace kjoule::child
