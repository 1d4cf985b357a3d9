#include "compare/changes/difference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace kjoule {
namespace {

/// A launch with its time, us.
struct Timed {
  std::string name;
  double us = 1;
  std::string form = "<<<1x1x1, 32x1x1, 0>>> 00000001";
};

/// Returns an iteration of these launches. The half-width of each kernel's time is 1 % of this time.
BaselineIteration iteration_of(const std::vector<Timed>& launches) {
  BaselineIteration iteration;
  iteration.verdict = "adds up";
  for (const Timed& launch : launches) {
    auto& kernels = iteration.kernels;
    auto found = std::ranges::find_if(kernels, [&](const BaselineKernel& kernel) {
      return kernel.name == launch.name && kernel.form == launch.form;
    });
    if (found == kernels.end())
      found = kernels.insert(kernels.end(), {launch.name, launch.form, 0, Interval{}, {}});
    ++found->count;
    found->time_s->value += 1e-6 * launch.us;
    found->time_s->half_width += 1e-8 * launch.us;
    iteration.launches.push_back(static_cast<uint32_t>(found - kernels.begin()));
    iteration.whole_s.value += 1e-6 * launch.us;
  }
  iteration.whole_s.half_width = 1e-3 * iteration.whole_s.value;
  iteration.sum_s = iteration.whole_s;
  return iteration;
}

Baseline run_of(std::vector<BaselineIteration> iterations) {
  Baseline baseline;
  baseline.device = {"simulated", "simulated", ""};
  baseline.iterations = std::move(iterations);
  return baseline;
}

Difference difference_of(const std::vector<Timed>& before, const std::vector<Timed>& after) {
  return compare_baselines(run_of({iteration_of(before)}), run_of({iteration_of(after)}));
}

/// Returns the changes of kernels as texts such as "kind: 2 a -> 1 b", without kernels that did not change.
std::vector<std::string> changes_of(const Difference& difference) {
  std::vector<std::string> texts;
  for (const KernelChange& kernel : difference.iterations.at(0).kernels) {
    if (!kernel.is_change()) continue;
    std::string text = std::string(to_string(kernel.kind)) + ":";
    for (const NamedLaunches& one : kernel.before) text += " " + std::to_string(one.count) + " " + one.name;
    text += " ->";
    for (const NamedLaunches& one : kernel.after) text += " " + std::to_string(one.count) + " " + one.name;
    texts.push_back(text);
  }
  std::ranges::sort(texts);
  return texts;
}

using Texts = std::vector<std::string>;

TEST(Difference, AnUnchangedProgramHasNoChange) {
  const std::vector<Timed> launches = {{"a", 2}, {"b", 3}, {"a", 2}};
  const Difference difference = difference_of(launches, launches);
  EXPECT_EQ(changes_of(difference), Texts{});
  EXPECT_FALSE(difference.iterations[0].whole_s.is_change());
  EXPECT_EQ(difference.rose_above({0.01, {}}), ChangeVerdict::not_changed);
}

TEST(Difference, ATimeChangesOnlyOutsideBothIntervals) {
  // With half-widths of 1 % each, the interval of a difference of 1.9 % contains 0, and that of 2.1 %
  // excludes 0.
  EXPECT_EQ(changes_of(difference_of({{"a", 100}}, {{"a", 101.9}})), Texts{});
  EXPECT_EQ(changes_of(difference_of({{"a", 100}}, {{"a", 102.1}})), Texts{"same: 1 a -> 1 a"});
}

TEST(Difference, LaunchesThatWereFusedAreShownOnceForAllPlaces) {
  const std::vector<Timed> before = {{"gemm", 9}, {"add"},  {"gelu"}, {"gemm", 9},
                                     {"add"},     {"gelu"}, {"copy"}};
  const std::vector<Timed> after = {
      {"gemm", 9}, {"fused_add_gelu"}, {"gemm", 9}, {"fused_add_gelu"}, {"copy"}};
  const Difference fused = difference_of(before, after);
  EXPECT_EQ(changes_of(fused), Texts{"fused: 2 add 2 gelu -> 2 fused_add_gelu"});
  EXPECT_EQ(fused.iterations[0].kernels[0].occurrences, 2U);
  EXPECT_NEAR(fused.iterations[0].kernels[0].time_s->difference().value, -2e-6, 1e-12);
  EXPECT_EQ(changes_of(difference_of(after, before)), Texts{"split: 2 fused_add_gelu -> 2 add 2 gelu"});
}

TEST(Difference, AKernelThatIsFusedInSomePlacesKeepsTheOthers) {
  const Difference difference =
      difference_of({{"add", 3}, {"x"}, {"add", 3}, {"relu", 2}}, {{"add", 3}, {"x"}, {"add_relu", 4}});
  EXPECT_EQ(changes_of(difference), Texts{"fused: 1 add 1 relu -> 1 add_relu"});
}

TEST(Difference, LaunchesInAnotherOrderDidNotChange) {
  EXPECT_EQ(changes_of(difference_of({{"a"}, {"b"}, {"c"}, {"d"}}, {{"d"}, {"b"}, {"a"}, {"c"}})), Texts{});
}

TEST(Difference, AnotherGridIsTheSameKernelInAnotherForm) {
  const Difference difference = difference_of({{"a", 4, "<<<8x1x1, 32x1x1, 0>>> 1"}, {"b"}},
                                              {{"a", 4, "<<<16x1x1, 32x1x1, 0>>> 1"}, {"b"}});
  EXPECT_EQ(changes_of(difference), Texts{"other form: 1 a -> 1 a"});
}

TEST(Difference, KernelsOfOneNameWithOtherValuesMatchByTheirGrids) {
  const std::vector<Timed> before = {{"a", 4, "<<<8x1x1, 32x1x1, 0>>> 1"},
                                     {"a", 9, "<<<16x1x1, 32x1x1, 0>>> 2"}};
  const std::vector<Timed> after = {{"a", 9, "<<<16x1x1, 32x1x1, 0>>> 3"},
                                    {"a", 4, "<<<8x1x1, 32x1x1, 0>>> 4"}};
  const Difference difference = difference_of(before, after);
  for (const KernelChange& kernel : difference.iterations[0].kernels)
    EXPECT_FALSE(kernel.time_s->is_change()) << kernel.before.front().name;
}

TEST(Difference, ChangesOfKernelsAddUpToTheChangeOfTheSum) {
  const Difference difference = difference_of(
      {{"a", 3}, {"b", 1}, {"c", 2}, {"a", 3}, {"d", 5}, {"b", 1}, {"e", 7}, {"c", 2}},
      {{"c", 2.5}, {"a", 3.5}, {"f", 6}, {"b", 1}, {"g", 1}, {"a", 3.5}, {"h", 4}, {"e", 7}, {"e", 7}});
  double sum = 0;
  for (const KernelChange& kernel : difference.iterations[0].kernels)
    sum += kernel.time_s->difference().value;
  EXPECT_NEAR(sum, difference.iterations[0].sum_s.difference().value, 1e-12);
}

TEST(Difference, ALimitIsPassedOnlyByTheWholeInterval) {
  // The half-widths of both wholes are 0.1 %.
  const auto verdict = [](double us, double limit) {
    return difference_of({{"a", 100}}, {{"a", us}}).rose_above({limit, {}});
  };
  EXPECT_EQ(verdict(105, 0.02), ChangeVerdict::changed);
  EXPECT_EQ(verdict(102.1, 0.02), ChangeVerdict::inconclusive);
  EXPECT_EQ(verdict(101.5, 0.02), ChangeVerdict::not_changed);
  EXPECT_EQ(verdict(90, 0.02), ChangeVerdict::not_changed);
}

TEST(Difference, EnergyThatWasNotMeasuredIsInconclusiveIfItHasALimit) {
  const Difference difference = difference_of({{"a", 100}}, {{"a", 100}});
  EXPECT_EQ(difference.rose_above({{}, 0.02}), ChangeVerdict::inconclusive);
}

TEST(Difference, PhasesMatchByTheirKernelsNotByTheirNumbers) {
  BaselineIteration loop = iteration_of({{"a", 5}, {"b", 5}}), pass = iteration_of({{"c", 9}});
  loop.phase = "phase_1";
  loop.iterations = 10;
  pass.phase = "phase_2";
  BaselineIteration other_loop = loop, other_pass = pass;
  std::swap(other_loop.phase, other_pass.phase);
  const Difference difference = compare_baselines(run_of({loop, pass}), run_of({other_pass, other_loop}));
  ASSERT_EQ(difference.iterations.size(), 2U);
  EXPECT_EQ(difference.iterations[0].phase_after, "phase_2");
  EXPECT_EQ(changes_of(difference), Texts{});
  EXPECT_NEAR(difference.run_s->before.value, 109e-6, 1e-12);
  const Difference fewer = compare_baselines(run_of({loop, pass}), run_of({loop}));
  EXPECT_EQ(fewer.only_before, Texts{"phase_2"});
  EXPECT_EQ(fewer.rose_above({0.5, {}}), ChangeVerdict::inconclusive);
}

TEST(Difference, StartsOfTheProgramWidenTheInterval) {
  BaselineIteration before = iteration_of({{"a", 100}}), after = iteration_of({{"a", 103}});
  EXPECT_TRUE(compare_baselines(run_of({before}), run_of({after})).iterations[0].whole_s.is_change());
  before.other_starts_s = {97e-6, 103e-6};
  const Difference difference = compare_baselines(run_of({before}), run_of({after}));
  EXPECT_FALSE(difference.iterations[0].whole_s.is_change());
  // Student's t with 2 degrees of freedom (4.303) x sqrt(2) x 3 %
  EXPECT_NEAR(*difference.start_share, 4.303 * 1.41421 * 0.03, 1e-3);
}

TEST(Difference, OnGpusTheSpreadOfStartsIsQuoted) {
  Baseline before = run_of({iteration_of({{"a", 100}})});
  before.device = {"GPU", "cuda", "GPU-1"};
  Baseline other_board = before;
  other_board.device.uuid = "GPU-2";
  const double same = *compare_baselines(before, before).start_share;
  EXPECT_GT(same, 0);
  EXPECT_GT(*compare_baselines(before, other_board).start_share, same);
}

TEST(Difference, RangesMatchByTheirPaths) {
  BaselineIteration before = iteration_of({{"a"}}), after = before;
  before.ranges = {{"step", 2, Interval{9e-6, 1e-7}, {}}, {"step/mlp", 1, Interval{4e-6, 1e-7}, {}}};
  after.ranges = {{"step", 2, Interval{9e-6, 1e-7}, {}}, {"step/mlp", 1, Interval{5e-6, 1e-7}, {}}};
  const Difference difference = compare_baselines(run_of({before}), run_of({after}));
  const std::vector<PartChange>& ranges = difference.iterations.at(0).ranges;
  ASSERT_EQ(ranges.size(), 2U);
  EXPECT_FALSE(ranges[0].time_s->is_change());
  EXPECT_TRUE(ranges[1].time_s->is_change());
}

TEST(Difference, LayersMatchByName) {
  Baseline before = run_of({iteration_of({{"a"}})}), after = before;
  before.layers = {{"conv", 2, Interval{10e-6, 1e-7}, {}}, {"head", 1, Interval{4e-6, 1e-7}, {}}};
  after.layers = {{"conv", 2, Interval{8e-6, 1e-7}, {}}, {"pool", 1, Interval{1e-6, 1e-7}, {}}};
  const std::vector<PartChange> layers = compare_baselines(before, after).layers;
  ASSERT_EQ(layers.size(), 3U);
  EXPECT_TRUE(layers[0].time_s->is_change());
  EXPECT_EQ(layers[1].count_after, 0U);
  EXPECT_EQ(layers[2].name, "pool");
}

}  // namespace
}  // namespace kjoule
