#include "compare/judgement/findings.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

TEST(Findings, AreNoneOfAMeasurementWithoutDoubts) {
  Comparison c;
  c.kernels.resize(1);
  c.timeline.emplace().audit = {3, 3, {}, 0};
  c.verification = VerifiedReplay();
  c.run = {{"load", {{{"programs_on_gpu", 1}}}}};
  EXPECT_EQ(findings_of(c), std::vector<std::string>());
  EXPECT_EQ(findings_of(Comparison()), std::vector<std::string>());
}

TEST(Findings, SayHowMuchTheIterationsOfALoopDiffer) {
  Comparison c;
  c.part = PartFacts{.is_loop = true, .iterations = 30, .measured_ns = 400'000, .part_ns = 12'000'000};
  c.part->spread = IterationSpread{30, 392, 400, 408};
  EXPECT_EQ(findings_of(c), std::vector<std::string>());
  c.part->spread = IterationSpread{30, 300'000, 400'000, 500'000};
  EXPECT_EQ(findings_of(c), std::vector<std::string>{
                                "the loop's iterations differ: 80 % of them take 300.0 to 500.0 us of GPU "
                                "time, a range of 50 % of the median; the measured iteration takes 400.0 us, "
                                "and all 30 iterations together take 12000.0 us of GPU time (by the "
                                "profiler)"});
}

TEST(Findings, SayThatTheIterationsOfALoopDiffer) {
  Comparison c;
  c.iteration_spread = IterationSpread{812, 391'000, 400'000, 409'000};
  EXPECT_TRUE(findings_of(c).empty());
  c.iteration_spread->high_ns = 500'000;
  EXPECT_EQ(findings_of(c),
            std::vector<std::string>{
                "the loop's iterations differ: 80 % of them take 391.0 to 500.0 us of GPU time, a range of "
                "27 % of the median (by the profiler); the measured times are those of only one "
                "iteration"});
}

TEST(Findings, NameKernelsThatAreMissing) {
  Comparison c;
  c.kernels.resize(2);
  c.kernels[1].name = "gemm";
  c.kernels[1].count = 4;
  c.kernels[0].isolated_error = "does not end";
  c.kernels[1].error = "illegal address";
  c.kernels[0].name = "copy";
  c.kernels[0].count = 2;
  EXPECT_EQ(findings_of(c), (std::vector<std::string>{"gemm (x4) is missing from the sum: illegal address",
                                                      "copy (x2) has no time in isolation: does not end"}));
}

TEST(Findings, CountKernelsThatHaveNoTimeInIsolationForTheSameReason) {
  Comparison c;
  c.kernels.resize(3);
  for (KernelResult& kernel : c.kernels) kernel.isolated_error = "the 60 s were used up";
  c.kernels[0].name = "copy";
  c.kernels[0].count = 2;
  c.kernels[1].isolated_error = "does not end";
  c.kernels[1].name = "gemm";
  c.kernels[1].count = 1;
  EXPECT_EQ(findings_of(c),
            (std::vector<std::string>{
                "2 kernels have no time in isolation (copy (x2) and others): the 60 s were used up",
                "gemm (x1) has no time in isolation: does not end"}));
}

TEST(Findings, NameKernelsBrieflyUnlessFullNamesAreWanted) {
  Comparison c;
  c.kernels.resize(1);
  c.kernels[0].name = "void at::native::scale<float>(float*, int)";
  c.kernels[0].count = 4;
  c.kernels[0].error = "illegal address";
  const std::string end = " (x4) is missing from the sum: illegal address";
  EXPECT_EQ(findings_of(c), std::vector<std::string>{"scale" + end});
  EXPECT_EQ(findings_of(c, NameStyle::full), std::vector<std::string>{c.kernels[0].name + end});
}

TEST(Findings, SayThatMeasuringDisturbedTheDevice) {
  Comparison c;
  c.times.whole_s.value = 100e-6;
  c.undisturbed_s = 99.5e-6;
  c.control = ControlTimes{600e-6, 606e-6};
  EXPECT_EQ(findings_of(c), std::vector<std::string>());
  c.undisturbed_s = 95e-6;
  c.control->after_s = 700e-6;
  EXPECT_EQ(findings_of(c),
            (std::vector<std::string>{
                "the whole took 95.0 us before the kernels were measured, which differs by "
                "-5.0 % from the whole while they were measured: the device became faster or slower",
                "a chain of empty kernels took 600.0 us before the measurement and 700.0 us "
                "after it (+16.7 %): the time that the device needs between launches changed during the "
                "measurement"}));
  c.undisturbed_s.reset();
  c.control = ControlTimes{600e-6, 500e-6};
  ASSERT_EQ(findings_of(c).size(), 1u);
  EXPECT_NE(findings_of(c)[0].find("-16.7 %"), std::string::npos) << "faster is a change, too";
}

TEST(Findings, NameTheFirstDifferenceOfTheAudit) {
  Comparison c;
  c.timeline.emplace().audit = {
      3, 2, {"stream 7: launch 1 (add) is missing in the device's list", "stream 7: another"}, 2};
  EXPECT_EQ(findings_of(c),
            std::vector<std::string>{
                "the recording differs from the device's own list of activities in 2 places; the first "
                "place: stream 7: launch 1 (add) is missing in the device's list"});
  c.timeline->error = "the timeline was not read";
  EXPECT_TRUE(findings_of(c).empty()) << "nothing was audited";
}

TEST(Findings, NameTheFirstLaunchWithOtherBits) {
  Comparison c;
  VerifiedReplay verification;
  verification.found.different = {4, 9};
  verification.found.non_finite = {9};
  verification.different_kernels = {{"add", 1, 9}, {"gemm", 1, 4}};
  c.verification = verification;
  EXPECT_EQ(findings_of(c), std::vector<std::string>{
                                "the replay of 2 launches (the first is of gemm) gave other results than "
                                "the program's own run, with infinities or NaNs in 1 of them"});
}

TEST(Findings, NameKernelsThatUseMemoryOfTheHost) {
  Comparison c;
  for (const char* name : {"gather", "add", "scatter", "reduce", "gemm"}) {
    c.kernels.emplace_back().name = name;
    c.kernels.back().uses_host_memory = c.kernels.back().name != "gemm";
  }
  c.verification.emplace();
  EXPECT_TRUE(findings_of(c).empty()) << "the replay gave the program's results";
  c.verification->found.different = {4};
  const auto findings = findings_of(c);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_TRUE(findings[1].starts_with("gather, add, scatter and 1 more kernel use host memory"))
      << findings[1];
}

TEST(Findings, HoldEachWarningOfTheMachineOnce) {
  Comparison c;
  c.run = {{"load", {{{"warnings", {"shared", "capped"}}}, {{"warnings", {"capped"}}}}}};
  EXPECT_EQ(findings_of(c), (std::vector<std::string>{"shared", "capped"}));
}

TEST(Findings, SayThatEnergyIsMissingWhereThereIsAMeter) {
  Comparison c;
  c.energy.emplace().missing = "no meter";
  EXPECT_TRUE(findings_of(c).empty());
  c.energy->meters.emplace_back();
  EXPECT_EQ(findings_of(c), std::vector<std::string>{"energy was not measured: no meter"});
}

}  // namespace
}  // namespace kjoule
