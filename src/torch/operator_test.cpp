#include "torch/operator.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "device/operator_table.hpp"
#include "torch/causal_softmax_reference.hpp"
#include "torch/differentiate.hpp"
#include "torch/experts.hpp"

namespace kjoule::runner {
namespace {

struct CountingWatch final : Stopwatch {
  void start() override { ++starts; }
  void stop() override {
    if (starts > 0) ++stops;
  }
  int starts = 0, stops = 0;
};

Placement on_cpu(at::ScalarType type) {
  return {at::TensorOptions().device(at::kCPU).dtype(type)};
}

/// Returns a small shape for each operator, which is computed quickly.
SampleShape small(const std::string& name) {
  static const std::map<std::string, SampleShape> others{{"layernorm", {2, 8, 16}},
                                                         {"RMSlayernorm", {2, 8, 16}},
                                                         {"res_add", {2, 8, 16}},
                                                         {"linear", {8, 16, 24}},
                                                         {"linear_final", {64, 1, 2, 8}},
                                                         {"parallel_cross_entropy_128", {64, 2, 4}},
                                                         {"softmax", {2, 1, 4, 8}},
                                                         {"grouped_query_atten", {2, 1, 8, 4, 16, 64}},
                                                         {"moe", {2, 2, 8, 32, 4, 64, 2}},
                                                         {"firstStage_optimizer", {64, 64, 1}},
                                                         {"middleStage_optimizer", {2, 16, 2}},
                                                         {"lastStage_optimizer", {64, 64, 1}}};
  const auto found = others.find(name);
  if (found != others.end()) return found->second;
  const size_t numbers = find_sampled_operator(name)->parameters.size();
  return numbers == 4 ? SampleShape{2, 2, 8, 16} : SampleShape{2, 1, 4, 8, 32};
}

void run_twice(Directions directions) {
  for (int pass = 0; pass < 2; ++pass)
    for (const std::string& name : order_of(directions)) {
      Direction& direction = directions.at(name);
      CountingWatch watch;
      if (direction.prepare) direction.prepare();
      direction.run(watch);
      EXPECT_GE(watch.starts, 1) << name;
      EXPECT_GE(watch.stops, 1) << name;
    }
}

TEST(SampledOperators, EveryOneOfTheTableRunsForwardAndBackward) {
  for (const SampledOperator& known : sampled_operators()) {
    SCOPED_TRACE(known.name);
    const Directions directions = build_operator(known.name, small(known.name), on_cpu(at::kFloat));
    EXPECT_EQ(directions.size(), known.has_backward ? 2u : 1u);
    for (const auto& [name, direction] : directions) EXPECT_GT(direction.least_bytes.value_or(0), 0) << name;
    run_twice(directions);
  }
}

/// Runs all forward directions before all backward ones, as when the operators are recorded together.
void run_and_keep(std::vector<Directions>& operators) {
  for (const char* name : {"forward", "step", "backward"})
    for (Directions& directions : operators) {
      const auto found = directions.find(name);
      if (found == directions.end()) continue;
      Direction& direction = found->second;
      CountingWatch watch;
      if (direction.prepare) direction.prepare();
      (direction.run_and_keep ? direction.run_and_keep : direction.run)(watch);
      EXPECT_GE(watch.stops, 1) << name;
    }
}

TEST(SampledOperators, KeepWhatBackwardReads) {
  std::vector<Directions> operators;
  for (const char* name : {"linear1", "fillmask", "parallel_cross_entropy_128", "firstStage_optimizer"})
    operators.push_back(build_operator(name, small(name), on_cpu(at::kFloat)));
  for (int pass = 0; pass < 2; ++pass) run_and_keep(operators);
  CountingWatch again;
  Direction& backward = operators.front().at("backward");
  backward.prepare();
  backward.run_and_keep(again);
  EXPECT_GE(again.stops, 1) << "the same graph once more";
  backward.run(again);
  EXPECT_ANY_THROW(backward.run(again)) << "and now it is used up";
}

TEST(SampledOperators, RefuseWhatTheyDoNotHave) {
  const Placement place = on_cpu(at::kFloat);
  EXPECT_THROW(build_operator("linear1", {3, 1, 8, 16}, place), InvalidShape);
  EXPECT_THROW(build_operator("linear1", {0, 1, 8, 16}, place), InvalidShape);
  EXPECT_THROW(build_operator("bmm", {2, 1, 3, 8, 32}, place), InvalidShape);
  EXPECT_THROW(build_operator("flash_atten", {1, 1, 3, 8, 32}, place), InvalidShape);
  EXPECT_THROW(build_operator("grouped_query_atten", {1, 1, 8, 3, 8, 64}, place), InvalidShape);
  EXPECT_THROW(build_operator("moe", {1, 1, 8, 16, 4, 32, 5}, on_cpu(at::kBFloat16)), InvalidShape);
  EXPECT_THROW(build_operator("ScaledUpperTriangMaskedSoftmax", {1, 1, 4, 0}, place), InvalidShape);
}

TEST(SampledOperators, WorkIsThatOfTheShape) {
  const Placement place = on_cpu(at::kFloat);
  const Directions linear = build_operator("linear", {8, 16, 24}, place);
  EXPECT_EQ(linear.at("forward").flops, 2.0 * 8 * 16 * 24);
  EXPECT_EQ(linear.at("backward").flops, 4.0 * 8 * 16 * 24);
  EXPECT_EQ(linear.at("forward").least_bytes, 4.0 * (8 * 16 + 16 * 24 + 8 * 24));
  const auto flops = [&](const char* name) {
    return *build_operator(name, {1, 1, 2, 16, 32}, place).at("forward").flops;
  };
  EXPECT_EQ(flops("flash_atten"), 4.0 * 2 * 16 * 16 * 16);
  EXPECT_EQ(flops("flash_atten_causal"), 4.0 * 2 * 16 * 17 / 2 * 16);
  EXPECT_EQ(vocabulary(1), 50304);
  EXPECT_EQ(vocabulary(4), 128 * 99);
}

TEST(SampledOperators, ExpertsRunInEachPrecision) {
  for (const auto type : {at::kHalf, at::kBFloat16, at::kFloat})
    for (const int64_t ffn : {64, 2}) {
      SCOPED_TRACE(std::string(at::toString(type)) + " " + std::to_string(ffn));
      run_twice(build_operator("moe", {2, 2, 8, 32, 4, ffn, 2}, on_cpu(type)));
    }
}

/// Row by row, with a width that libtorch's grouped product accepts and with one that it refuses.
TEST(Experts, MultiplyEachRowByTheWeightsOfItsExpert) {
  at::manual_seed(1);
  const std::vector<int32_t> last{3, 3, 7};  // the second expert has no row
  const at::Tensor ends = at::tensor(last, at::kInt);
  for (const auto type : {at::kHalf, at::kBFloat16, at::kFloat})
    for (const int64_t width : {8, 2}) {
      const at::Tensor rows = at::randn({7, 16}, type), weights = at::randn({3, 16, width}, type);
      const at::Tensor product = multiply_by_experts(rows, weights, ends);
      for (int64_t r = 0; r < 7; ++r) {
        const at::Tensor expected =
            at::matmul(rows[r].to(at::kDouble), weights[r < 3 ? 0 : 2].to(at::kDouble));
        EXPECT_TRUE(at::allclose(product[r].to(at::kDouble), expected, 0.02, 0.02))
            << at::toString(type) << " " << width << " row " << r;
      }
    }
}

TEST(CausalSoftmax, IsThatOfItsDefinition) {
  at::manual_seed(1);
  constexpr int64_t kRows = 9;
  const at::Tensor x = at::randn({2, kRows, kRows}, at::kDouble), gradient = at::randn_like(x);
  const at::Tensor softmax = causal_softmax(x, above_diagonal(x)),
                   back = causal_softmax_backward(gradient, softmax);
  for (int64_t m = 0; m < 2; ++m)
    for (int64_t r = 0; r < kRows; ++r) {
      double sum = 0, dot = 0;
      for (int64_t c = 0; c <= r; ++c) sum += std::exp(x[m][r][c].item<double>());
      const auto share = [&](int64_t c) { return c <= r ? std::exp(x[m][r][c].item<double>()) / sum : 0.0; };
      for (int64_t c = 0; c < kRows; ++c) dot += share(c) * gradient[m][r][c].item<double>();
      for (int64_t c = 0; c < kRows; ++c) {
        EXPECT_NEAR(softmax[m][r][c].item<double>(), share(c), 1e-12);
        EXPECT_NEAR(back[m][r][c].item<double>(), share(c) * (gradient[m][r][c].item<double>() - dot), 1e-12);
      }
    }
}

TEST(CausalSoftmax, KeepsThePrecisionOfItsScores) {
  for (const auto type : {at::kHalf, at::kBFloat16, at::kFloat}) {
    const at::Tensor x = at::rand({2, 5, 5}, type), softmax = causal_softmax(x, above_diagonal(x));
    EXPECT_EQ(softmax.scalar_type(), type);
    EXPECT_TRUE(at::allclose(softmax.to(at::kFloat).sum(-1), at::ones({2, 5}), 0.02, 0.02));
    EXPECT_EQ(causal_softmax_backward(x, softmax).scalar_type(), type);
  }
}

/// The last input that receives its gradient stops the watch, but only while a backward runs.
TEST(Differentiated, TimesFromTheOutputsGradientToTheLastInputs) {
  const at::Tensor x = at::rand({4, 4}), y = at::rand({4, 4});
  Directions directions =
      differentiate([=] { return std::vector<at::Tensor>{at::mm(x, y)}; }, {x, y}, {}, {});
  CountingWatch forward, backward;
  directions.at("forward").run(forward);
  directions.at("backward").prepare();
  directions.at("backward").run(backward);
  EXPECT_EQ(backward.starts, 1);
  EXPECT_EQ(backward.stops, 2);
  EXPECT_EQ(forward.stops, 1);
}

}  // namespace
}  // namespace kjoule::runner
