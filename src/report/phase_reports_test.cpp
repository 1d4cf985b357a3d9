#include "report/phase_reports.hpp"

#include <gtest/gtest.h>

#include "report/documented_columns.hpp"

namespace kjoule {
namespace {

LeftPhase pass(uint64_t first, int64_t ns, const std::string& why) {
  PartFacts facts;
  facts.first = first;
  facts.end = first + 10;
  facts.part_ns = ns;
  return {facts, why};
}

TEST(PhaseReports, NamePhasesThatAreLeftForTheSameReasonInOneLine) {
  RunComparison run;
  for (uint64_t i = 0; i < 300; ++i) run.left.push_back(pass(20 * i, 1'000, "it is short"));
  run.left.push_back(pass(9000, 2'000'000, "it is long"));
  LeftPhase loop = pass(9500, 1'000, "it is short");
  loop.facts.is_loop = true;
  run.left.push_back(loop);
  const std::string text = run_comparison_text(run);
  const size_t longest = text.find(
      "not replayed: single pass at launches 9000..9010 (2.000 ms by the profiler);\n  reason: it is long");
  ASSERT_NE(longest, std::string::npos) << text;
  const size_t others = text.find(
      "not replayed: 1 loop and 300 single passes (0.301 ms by the profiler); reason:\n  it is short");
  ASSERT_NE(others, std::string::npos) << text;
  EXPECT_LT(longest, others);
  EXPECT_EQ(run_comparison_json(run).at("not_replayed").size(), 302U);
}

TEST(PhaseReports, HaveTheFieldsOfTheSchema) {
  const auto properties = Reference(__FILE__).properties("run_report", "/$defs/phase");
  expect_all_fields(measured_phase_columns(), properties);
  expect_descriptions(without_head(measured_phase_columns()), properties);
}

}  // namespace
}  // namespace kjoule
