#include "compare/judgement/judge.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace kjoule {
namespace {

/// Returns the comparison of a sum of `sum_us` with a whole of 1000 us.
Comparison of_sum(double sum_us, double half_width_us) {
  Comparison c;
  c.times.whole_s = {1000e-6, 1e-6};
  c.times.sum_s = {sum_us * 1e-6, half_width_us * 1e-6};
  c.stopped.precision = 0.0025;
  c.requested.time = 0.01;
  return c;
}

TEST(Verdict, AddsUpIfTheWholeIntervalIsWithinWhatWasRequested) {
  const Judgement judgement = judge(of_sum(1001.5, 2.0));
  EXPECT_EQ(judgement.verdict, Verdict::adds_up);
  EXPECT_EQ(judgement.reason, "sum - whole = +1.50 us (+0.15 +- 0.20 %)");
  EXPECT_EQ(verdict_text(judgement), "adds up within 0.35 %");
  EXPECT_EQ(judge(of_sum(1004, 5.9)).verdict, Verdict::adds_up) << "also if measuring ended early";
}

TEST(Verdict, AddsUpWithADifferenceThatIsCertainButSmall) {
  const Judgement judgement = judge(of_sum(993.1, 2.0));
  EXPECT_EQ(judgement.verdict, Verdict::adds_up);
  EXPECT_EQ(verdict_text(judgement), "adds up within 0.89 %");
  EXPECT_NE(judgement.reason.find("a 95 % interval that excludes 0"), std::string::npos) << judgement.reason;
}

TEST(Verdict, RoundsWhatItAddsUpWithinUpwards) {
  EXPECT_EQ(verdict_text(judge(of_sum(1001.501, 2.0))), "adds up within 0.36 %");
}

TEST(Verdict, DoesNotAddUpWithALargerDifferenceOutsideItsInterval) {
  const Judgement judgement = judge(of_sum(991, 2.0));
  EXPECT_EQ(judgement.verdict, Verdict::does_not_add_up);
  EXPECT_EQ(judgement.reason,
            "sum - whole = -9.00 us (-0.90 +- 0.20 %, a 95 % interval that excludes 0): sum and whole may "
            "differ by up to 1.10 %, but 1.00 % was requested (--within)");
  EXPECT_EQ(verdict_text(judgement), "does not add up");
}

TEST(Verdict, IsInconclusiveOtherwise) {
  const Judgement judgement = judge(of_sum(1004, 7.0));
  EXPECT_EQ(judgement.verdict, Verdict::inconclusive);
  EXPECT_NE(judgement.reason.find("sum and whole may differ by up to 1.10 %, but 1.00 % was requested "
                                  "(--within); raise --time-limit"),
            std::string::npos)
      << judgement.reason;
  EXPECT_EQ(verdict_text(judgement), "inconclusive");
}

TEST(Verdict, NamesThePrecisionWhereMeasuringStoppedAtIt) {
  Comparison c = of_sum(1001, 2.0);
  c.requested.time = 0.002;
  EXPECT_EQ(judge(c).verdict, Verdict::inconclusive);
  EXPECT_NE(judge(c).reason.find("(--within); lower --precision"), std::string::npos) << judge(c).reason;
}

TEST(Verdict, SaysWhereMeasuringLongerDoesNotHelp) {
  Comparison c = of_sum(1000, 14.0);
  EXPECT_NE(judge(c).reason.find("raise --time-limit"), std::string::npos);
  EXPECT_NE(judge(of_sum(1020, 30)).reason.find("raise --time-limit"), std::string::npos)
      << "more time may narrow the interval, whatever the difference is now";
  c.times.instrument_half_width_s = 12e-6;
  EXPECT_EQ(judge(c).reason.find("raise --time-limit"), std::string::npos);
  EXPECT_NE(judge(c).reason.find("the method itself has an uncertainty of +-1.20 %"), std::string::npos)
      << judge(c).reason;
}

TEST(Verdict, IsInconclusiveWhereKernelsAreMissing) {
  Comparison c = of_sum(900, 2.0);
  c.kernels.resize(2);
  c.kernels[1].error = "illegal address";
  EXPECT_EQ(judge(c).verdict, Verdict::inconclusive);
  EXPECT_NE(judge(c).reason.find("1 kernel could not be replayed and is missing"), std::string::npos);
}

TEST(Verdict, IsThatOfTheMeasuredIterationWhereIterationsDiffer) {
  Comparison c = of_sum(1000, 2.0);
  c.iteration_spread = IterationSpread{200, 900, 1000, 1100};
  EXPECT_EQ(judge(c).verdict, Verdict::adds_up) << "that they differ is a finding";
}

TEST(Verdict, IsInconclusiveWhereMemoryOfTheHostMayHaveChanged) {
  Comparison c = of_sum(1000, 2.0);
  c.kernels.resize(2);
  c.kernels[1].uses_host_memory = true;
  c.verification.emplace();
  EXPECT_EQ(judge(c).verdict, Verdict::adds_up) << "no launch gave other results";
  c.verification->found.different = {0};
  EXPECT_EQ(judge(c).verdict, Verdict::inconclusive);
  EXPECT_NE(judge(c).reason.find("kernels use host memory"), std::string::npos) << judge(c).reason;
  c.kernels[1].uses_host_memory = false;
  EXPECT_EQ(judge(c).verdict, Verdict::adds_up) << "other results are a finding";
}

TEST(Verdict, IsInconclusiveWhereLaunchesCannotBeTimedApart) {
  Comparison c = of_sum(1000, 2.0);
  c.timed_together_share = 0.2;
  EXPECT_EQ(judge(c).verdict, Verdict::adds_up);
  c.timed_together_share = 0.21;
  EXPECT_EQ(judge(c).verdict, Verdict::inconclusive);
  EXPECT_NE(judge(c).reason.find("21 % of the time"), std::string::npos) << judge(c).reason;
}

TEST(Verdict, IsInconclusiveWithoutAnInterval) {
  for (const double bad :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(judge(of_sum(1000, bad)).verdict, Verdict::inconclusive);
    EXPECT_EQ(judge(of_sum(bad, 1)).verdict, Verdict::inconclusive);
  }
  EXPECT_EQ(judge(Comparison()).verdict, Verdict::inconclusive);
}

EnergyResult energy_of_sum(double mj, double half_width_mj) {
  EnergyResult energy;
  energy.estimate.whole_j = {100e-3, 0.1e-3};
  energy.estimate.sum_j = {mj * 1e-3, half_width_mj * 1e-3};
  energy.stopped = "time limit";
  energy.requested_within = 0.05;
  return energy;
}

TEST(EnergyVerdict, IsThatOfTheIntervalAndWhatWasRequested) {
  const Judgement judgement = judge_energy(energy_of_sum(101, 2));
  EXPECT_EQ(judgement.reason, "sum - whole = +1.00 mJ (+1.00 +- 2.00 %)");
  EXPECT_EQ(verdict_text(judgement), "adds up within 3.00 %");
  EXPECT_EQ(judge_energy(energy_of_sum(97, 1.9)).verdict, Verdict::adds_up);
  EXPECT_EQ(judge_energy(energy_of_sum(94, 2)).verdict, Verdict::does_not_add_up);
}

TEST(EnergyVerdict, IsInconclusiveWithoutThePrecisionForIt) {
  EnergyResult energy = energy_of_sum(100, 9);
  EXPECT_EQ(judge_energy(energy).verdict, Verdict::inconclusive);
  EXPECT_NE(judge_energy(energy).reason.find("(--energy-within); raise --energy-time-limit"),
            std::string::npos)
      << judge_energy(energy).reason;
  energy.estimate.sum_j.half_width = std::numeric_limits<double>::infinity();
  EXPECT_EQ(judge_energy(energy).verdict, Verdict::inconclusive);
}

}  // namespace
}  // namespace kjoule
