#include "compare/iteration/range_results.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kjoule {
namespace {

using Names = std::vector<std::string>;

class Ranges : public testing::Test {
 protected:
  Recording recording_;
  std::vector<double> launch_s_;
  std::vector<KernelResult> kernels_;

  void launch(const std::string& kernel, double seconds, const Names& ranges) {
    Launch& launch = recording_.launches.emplace_back();
    launch.name = launch.signature = kernel;
    if (!ranges.empty()) launch.detail["ranges"] = ranges;
    launch_s_.push_back(seconds);
  }
  void kernel(const std::string& name, size_t count, double half_width_s, double joules) {
    KernelResult& result = kernels_.emplace_back();
    result.name = result.signature = name;
    result.count = count;
    result.in_context_s = Interval{0, half_width_s};
    result.energy = KernelJoules{.joules = {joules, joules / 10}};
  }
  std::vector<RangeResult> results() const { return range_results(recording_, launch_s_, kernels_); }
};

TEST_F(Ranges, FormATreeThatIncludesWhatTheyContain) {
  kernel("a", 4, 0.4, 8);
  kernel("b", 1, 0.1, 3);
  launch("a", 1, {"step", "attention"});
  launch("b", 2, {"step", "attention", "softmax"});
  launch("a", 3, {"step", "mlp"});
  launch("a", 4, {"step", "attention"});
  launch("a", 5, {});
  const std::vector<RangeResult> ranges = results();
  ASSERT_EQ(ranges.size(), 4U);
  EXPECT_EQ(ranges[0].path, Names{"step"});
  EXPECT_EQ(ranges[1].path, (Names{"step", "attention"}));
  EXPECT_EQ(ranges[2].path, (Names{"step", "attention", "softmax"}));
  EXPECT_EQ(ranges[3].path, (Names{"step", "mlp"}));
  EXPECT_EQ(ranges[1].launches, 3U);
  EXPECT_DOUBLE_EQ(ranges[0].time_s->value, 10);
  EXPECT_DOUBLE_EQ(ranges[1].time_s->value, 7);
  EXPECT_DOUBLE_EQ(ranges[1].time_s->half_width, 0.3);
  EXPECT_DOUBLE_EQ(ranges[1].energy_j->value, 7);
  EXPECT_DOUBLE_EQ(ranges[3].energy_j->value, 2);
}

TEST_F(Ranges, HaveNoTimeIfAKernelHasNone) {
  kernel("a", 1, 0.1, 1);
  kernel("b", 1, 0.1, 1);
  kernels_[1].in_context_s.reset();
  kernels_[0].energy.reset();
  launch("b", 2, {"x"});
  launch("a", 1, {"x"});
  launch("a", 1, {"y"});
  const std::vector<RangeResult> ranges = results();
  EXPECT_FALSE(ranges[0].time_s);
  EXPECT_TRUE(ranges[1].time_s);
  EXPECT_FALSE(ranges[1].energy_j);
}

TEST_F(Ranges, AreNoneInAProgramWithoutThem) {
  kernel("a", 1, 0.1, 1);
  launch("a", 1, {});
  EXPECT_TRUE(results().empty());
}

}  // namespace
}  // namespace kjoule
