#include "compare/iteration/kernel_times.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "compare/judgement/judge.hpp"
#include "compare/judgement/residual.hpp"

namespace kjoule {
namespace {

/// Two kernels that take 60 and 40 us of a whole of 100 us.
class OfTwoKernels : public testing::Test {
 protected:
  OfTwoKernels() {
    table_.kernels = {{"gemm", Tier::vendor_library, "gemm 4", {0, 2}},
                      {"add", Tier::framework, "add 4", {1}}};
    table_.kernel_of = {0, 1, 0};
    c_.times.rounds = 12;
    c_.times.whole_s = {100e-6, 1e-6};
    c_.times.sum_s = {100e-6, 1e-6};
    c_.times.kernel_s = {{60e-6, 1e-6}, {40e-6, 1e-6}};
    c_.times.launch_s = {31e-6, 40e-6, 29e-6};
    c_.program_iterations.run_s = {150e-6, 170e-6};
    TimelineResult& timeline = c_.timeline.emplace();
    timeline.audit = {3, 3, {}, 0};
    timeline.totals = {200'000, 90'000, 95'000, 110'000, 5'000};
    timeline.launch_s = {31e-6, 40e-6, 30e-6};
  }

  /// Returns the comparison c_ with the values that are computed from its facts.
  Comparison compared() const {
    Comparison c = c_;
    c.kernels = kernel_results(table_);
    add_times(table_, timed_together_, c);
    complete_kernels(c);
    return c;
  }
  bool says(const std::string& part) const {
    const auto lines = residual_of(compared());
    return std::any_of(lines.begin(), lines.end(),
                       [&](const std::string& line) { return line.find(part) != std::string::npos; });
  }

  KernelTable table_;
  Comparison c_;
  std::set<LaunchIndex> timed_together_;
};

TEST_F(OfTwoKernels, ExplainTheProgramsOwnIterationToTheEnd) {
  EXPECT_TRUE(
      says("took 200.0 us as the program ran it: the device was busy for 90.0 us and idle for 110.0 us"));
  EXPECT_TRUE(
      says("took 95.0 us in total, of which 5.0 us overlap other launches; the busy time differs by -10.0 % "
           "from the whole"));
  c_.timeline->totals.reset();
  EXPECT_FALSE(says("us idle"));
}

TEST_F(OfTwoKernels, SayWhetherTheDeviceRanWhatWasRecorded) {
  EXPECT_TRUE(
      says("audit: 3 launches were recorded, and the profiler (CUPTI) reports 3 activities: no difference"));
  c_.timeline->audit = {3, 2, {"stream 7: launch 1 (add) is missing in the device's list"}, 1};
  EXPECT_TRUE(
      says("audit: 3 launches were recorded, and the profiler (CUPTI) reports 2 activities: 1 difference"));
  EXPECT_TRUE(says("audit: stream 7: launch 1 (add) is missing in the device's list"));
  c_.timeline = TimelineResult();
  c_.timeline->error = "CUPTI_ERROR_HARDWARE";
  EXPECT_TRUE(
      says("audit: not possible, because the device's timeline could not be read: CUPTI_ERROR_HARDWARE"));
  EXPECT_FALSE(says("the same"));
  c_.timeline.reset();
  EXPECT_FALSE(says("audit"));
}

TEST_F(OfTwoKernels, AreComparedWithTheirTimingInsideTheWhole) {
  const Comparison c = compared();
  EXPECT_NEAR(c.kernels[0].timeline_s.value(), 61e-6, 1e-12);
  EXPECT_NEAR(c.timeline_difference.value(), 2 * (61.0 / 101 - 0.6), 1e-9) << "of equal totals";
  EXPECT_TRUE(
      says("gives 101.0 us for one replay of the iteration, which differs by +1.0 % "
           "from the whole"));
  EXPECT_FALSE(says("add x1 takes"));
  c_.timeline->launch_s[1] = 50e-6;
  EXPECT_FALSE(says("add x1 takes")) << "exactly 20 % is near enough";
  c_.timeline->launch_s[1] = 51e-6;
  EXPECT_TRUE(
      says("check: add (x1) takes 40.0 us in context, and 51.0 us in the profiler's timeline of a replayed "
           "iteration "
           "(-21.6 %)"));
  c_.times.kernel_s[1].value = 0.9e-6;
  EXPECT_FALSE(says("add x1 takes")) << "less than 1 % of the sum";
}

TEST_F(OfTwoKernels, ManyThatAreFarApartAreCounted) {
  for (LaunchIndex i = 3; i < 15; ++i) {
    table_.kernels.push_back({"k", Tier::unknown, "k", {i}});
    c_.times.kernel_s.push_back({2e-6, 1e-7});
    c_.timeline->launch_s.push_back(3e-6);
  }
  EXPECT_TRUE(says("2 more kernels differ by more than 20 % from those in the profiler's timeline"));
}

TEST_F(OfTwoKernels, SayWhyTheyAreNotComparedWithTheTimeline) {
  c_.timeline->launch_s.clear();
  c_.timeline->launch_s_missing = "records were lost";
  EXPECT_TRUE(
      says("check: the kernels' times in the device's timeline are not available: records were lost"));
  EXPECT_FALSE(compared().kernels[1].timeline_s.has_value());
  EXPECT_FALSE(compared().timeline_difference.has_value());
}

TEST_F(OfTwoKernels, TellTheClocksWhereTheyAreKnown) {
  EXPECT_FALSE(says("clock"));
  c_.times.whole_clock_hz = 1.8701e9;
  c_.times.sum_clock_hz = 1.905e9;
  EXPECT_TRUE(says("GPU clock: 1870 MHz while the whole was measured, 1905 MHz while kernels were measured"));
}

TEST_F(OfTwoKernels, SayHowWellHalfOfThePlacesPredictsTheOtherHalf) {
  EXPECT_FALSE(says("kernel x count"));
  c_.times.half_of_places = HalfOfPlaces{0.0123, -0.002, 0.4};
  EXPECT_TRUE(says("the mean error is 1.23 % per kernel"));
  EXPECT_TRUE(says("kernels with one launch (40 % of the time) cannot be tested like this"));
}

TEST_F(OfTwoKernels, AreInconclusiveWhereTheyCannotBeTimedApart) {
  timed_together_ = {2};
  EXPECT_TRUE(compared().kernels[0].timed_together);
  EXPECT_FALSE(compared().kernels[1].timed_together);
  EXPECT_TRUE(says("together: 29 % of the time"));
  c_.stopped.precision = 0.01;
  c_.requested.time = 0.01;
  EXPECT_EQ(judge(compared()).verdict, Verdict::inconclusive);
  c_.times.launch_s = {71e-6, 10e-6, 19e-6};
  EXPECT_EQ(judge(compared()).verdict, Verdict::adds_up);
}

TEST_F(OfTwoKernels, QuoteTheSpreadOfOtherProgramsWhereTheirsWasNotMeasured) {
  EXPECT_FALSE(says("starts:"));
  c_.quoted_spread = StartSpread{{"NVIDIA X"}, 7, 0.4, 1.9, 0.1, 0.6};
  EXPECT_TRUE(
      says("for 7 other programs on NVIDIA X, iteration times differed by 0.4 % in the median "
           "and 1.9 % at most (--starts N measures this for your program)"));
  EXPECT_GT(bundled_start_spread().programs, 0);
}

TEST_F(OfTwoKernels, PredictTheWholeOfOtherStarts) {
  c_.other_starts = {{98e-6, ""}, {0, "its iteration has other launches than the recorded one"}};
  EXPECT_TRUE(
      says("starts: in another start of the program, the whole takes 98.0 us, from which the sum of the "
           "first start differs by +2.0 %"));
  EXPECT_TRUE(
      says("starts: another start of the program was not measured: its iteration has other launches than the "
           "recorded one"));
}

}  // namespace
}  // namespace kjoule
