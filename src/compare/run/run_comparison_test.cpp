#include "compare/run/run_comparison.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

MeasuredPhase measured(uint32_t number, uint64_t iterations, double whole_us, double sum_us,
                       double half_width_us, int64_t part_us) {
  MeasuredPhase phase;
  phase.number = number;
  phase.facts.iterations = iterations;
  phase.facts.part_ns = part_us * 1000;
  phase.whole_s = {whole_us * 1e-6, 0};
  phase.sum_s = {sum_us * 1e-6, half_width_us * 1e-6};
  phase.requested_within = 0.01;
  phase.asked_half_width = 0.0025;
  return phase;
}

TEST(RunComparison, AddsUpAllIterationsOfAllPhases) {
  const RunComparison run =
      compare_run({measured(2, 1, 500, 501, 1, 600), measured(1, 10, 100, 99.9, 0.2, 1100)}, {}, {}, 0.97);
  EXPECT_DOUBLE_EQ(run.whole_s.value, 1500e-6);
  EXPECT_DOUBLE_EQ(run.sum_s.value, 1500e-6);
  EXPECT_DOUBLE_EQ(run.sum_s.half_width, 3e-6);
  EXPECT_EQ(run.judgement.verdict, Verdict::adds_up);
  EXPECT_EQ(run.measured.front().number, 1U);
  EXPECT_TRUE(run.is_complete());
}

TEST(RunComparison, ASumOutsideItsIntervalDoesNotAddUp) {
  EXPECT_EQ(compare_run({measured(1, 10, 100, 101, 0.2, 1000)}, {}, {}, 1).judgement.verdict,
            Verdict::does_not_add_up);
}

TEST(RunComparison, WhatOnePhaseLacksMakesTheRunInconclusive) {
  MeasuredPhase other = measured(2, 1, 100, 100, 0.1, 100);
  other.lack = "1 kernel could not be replayed and is missing from the sum";
  const Judgement judgement = compare_run({measured(1, 10, 100, 100, 0.2, 1000), other}, {}, {}, 1).judgement;
  EXPECT_EQ(judgement.verdict, Verdict::inconclusive);
  EXPECT_NE(judgement.reason.find("but in phase 2 1 kernel could not"), std::string::npos);
}

TEST(RunComparison, IsCompleteFromAShareOfNineteenTwentiethsOn) {
  const MeasuredPhase phase = measured(1, 8, 100, 100, 0.1, 800);
  EXPECT_TRUE(compare_run({phase}, {}, {}, 0.95).is_complete());
  EXPECT_FALSE(compare_run({phase}, {}, {}, 0.94).is_complete());
}

TEST(RunComparison, WithoutAPhaseItIsInconclusive) {
  EXPECT_EQ(compare_run({}, {}, {}, 0).judgement.verdict, Verdict::inconclusive);
}

}  // namespace
}  // namespace kjoule
