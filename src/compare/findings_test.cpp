#include "compare/findings.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

TEST(Findings, AreNoneOfAMeasurementWithoutDoubts) {
  Comparison c;
  c.kernels.resize(1);
  c.timeline.emplace().audit = {3, 3, {}, 0};
  c.verification.emplace().found.launches = 3;
  c.run = {{"load", {{{"programs_on_gpu", 1}}}}};
  EXPECT_EQ(findings_of(c), std::vector<std::string>());
  EXPECT_EQ(findings_of(Comparison()), std::vector<std::string>());
}

TEST(Findings, NameKernelsThatAreMissing) {
  Comparison c;
  c.kernels.resize(2);
  c.kernels[1].name = "gemm";
  c.kernels[1].count = 4;
  c.kernels[1].error = "illegal address";
  EXPECT_EQ(findings_of(c), std::vector<std::string>{"gemm x4 is missing from the sum: illegal address"});
}

TEST(Findings, NameTheFirstDifferenceOfTheAudit) {
  Comparison c;
  c.timeline.emplace().audit = {3, 2, {"stream 7: launch 1 add has no activity", "stream 7: another"}, 2};
  EXPECT_EQ(findings_of(c),
            std::vector<std::string>{"the device did not run what was recorded, differences: 2; the first: "
                                     "stream 7: launch 1 add has no activity"});
  c.timeline->error = "the timeline was not read";
  EXPECT_TRUE(findings_of(c).empty()) << "nothing was audited";
}

TEST(Findings, NameTheFirstLaunchWithOtherBits) {
  Comparison c;
  VerifiedReplay& verification = c.verification.emplace();
  verification.found.different = {4, 9};
  verification.found.non_finite = {9};
  verification.different_kernels = {{"add", 1, 9}, {"gemm", 1, 4}};
  EXPECT_EQ(findings_of(c),
            std::vector<std::string>{"2 launches, the first of them gemm, replayed to other bits than "
                                     "recorded, 1 of them to infinities or NaNs"});
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
  EXPECT_EQ(findings_of(c), std::vector<std::string>{"no energy: no meter"});
}

}  // namespace
}  // namespace kjoule
