#include "importers/signature_list.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "importers/expect_contains.hpp"
#include "importers/import.hpp"

namespace kjoule {
namespace {

ImportedTable signatures(const std::string& text) {
  return import_text(PaddedText::copy_of(text), {}, "s.json");
}

/// A file of two kernels, one of them of tier 2, with 78 launches in 26 iterations.
std::string with_summary(const std::string& summary) {
  return R"({"summary": {"iterations": 26, )" + summary +
         "},\n"
         R"("kernels": [{"name": "k", "tier": 2, "count": 52}, {"name": "other", "tier": "unknown", "count": 26}]})";
}

std::string signatures_refusal(const std::string& text) {
  try {
    signatures(text);
  } catch (const Error& error) {
    return error.line();
  }
  return "nothing was refused";
}

TEST(KernelSignatures, AreReadWithTheirIterations) {
  const ImportedTable table = signatures(
      R"({"summary": {"unique": 1, "iterations": 26}, "kernels": [{"name": "k", "tier": 2, "count": 52, )"
      R"("total_us": 104.0, "signature": {"grid": [1,1,1]}}]})");
  EXPECT_EQ(table.kernels[0].tier, Tier::vendor_library);
  EXPECT_EQ(table.count(table.kernels[0]), 2.0);
  EXPECT_EQ(table.kernels[0].times->total_ns, 104000);
  EXPECT_FALSE(table.kernels[0].times->min_ns);
}

TEST(KernelSignatures, StandUnderTheirTiers) {
  const ImportedTable table = signatures(
      R"({"kernels": {"tier2_cublas": [{"name": "k"}], "tier3_libtorch": [{"name": "l", "tier": 3}]}})");
  EXPECT_EQ(table.kernels[0].tier, Tier::vendor_library);
  EXPECT_EQ(table.kernels[1].tier, Tier::framework);
  EXPECT_CONTAINS(signatures_refusal(R"({"kernels": {"tier2_cublas": [{"name": "k", "tier": 3}]}})"),
                  "s.json:1: a kernel of tier 3 is listed under tier 2");
}

TEST(KernelSignatures, MayHaveASummaryThatAgrees) {
  for (const char* summary :
       {R"("unique_kernels": 2, "launches": 78, "invocation_count": 3)", R"("invocation_count": 78)",
        R"("invocation_count": null, "of": "anything")", R"("tiers": {"tier2_cublas": {"unique_kernels": 1,
          "invocation_count": 2, "launches": 52}, "unknown": {"unique_kernels": 1}, "tier1": {"launches": 0}})"})
    EXPECT_EQ(signatures(with_summary(summary)).kernels.size(), 2u) << summary;
  // Rows without tiers cannot contradict the summary's tiers.
  EXPECT_EQ(signatures(R"({"summary": {"tiers": {"tier2": {"launches": 5}}}, "kernels": [{"name": "k"}]})")
                .kernels.size(),
            1u);
}

TEST(KernelSignatures, MayHaveTheSummaryOfAPublishedFile) {
  const std::string tier =
      R"("total_kernels": 2, "tier2_cublas": {"unique": 1, "invocations": 52, "percentage": "66.7%"})";
  EXPECT_EQ(signatures(with_summary(tier)).kernels.size(), 2u);
  EXPECT_CONTAINS(signatures_refusal(with_summary(R"("total_kernels": 3)")),
                  "\"total_kernels\" in the summary is 3, but the kernels are 2");
  EXPECT_CONTAINS(signatures_refusal(with_summary(R"("tier2_cublas": {"invocations": 51})")),
                  "\"invocations\" of tier 2 in the summary is 51, but the kernels' launches are 52");
}

TEST(KernelSignatures, OfKernelsTimedInIsolationAreOnePerRow) {
  const ImportedTable table = signatures(
      R"({"end_timestamp": "2026-02-06 18:34:49.740", "kernels": [)"
      R"({"name": "k", "benchmark_runs": 10, "invocation_count": 4, "single_time_us": 2.5, "total_time_us": 10},)"
      R"({"name": "k", "benchmark_runs": 10, "invocation_count": 2, "single_time_us": 3.5, "total_time_us": 7},)"
      R"({"name": "l", "benchmark_runs": 10, "invocation_count": 1, "single_time_us": 1, "grid": [2, 1, 1]}]})");
  ASSERT_EQ(table.kernels.size(), 3u);
  EXPECT_EQ(table.kernels[1].times->total_ns, 7000);
  EXPECT_EQ(table.kernels[2].mean_ns(), 1000);
  EXPECT_EQ(table.kernels[2].recorded_signature, "") << "its grid distinguishes it";
  EXPECT_CONTAINS(signatures_refusal(R"({"kernels": [{"name": "k", "invocation_count": 4, )"
                                     R"("single_time_us": 2.5, "total_time_us": 11}]})"),
                  "the times contradict each other: \"total_time_us\" is 11, but \"single_time_us\" is 2.5");
}

TEST(KernelSignatures, MayStandNextToGroups) {
  const std::string groups = R"("groups": [{"name": "smaller kernels"}])";
  EXPECT_EQ(signatures("{" + groups + R"(, "kernels": [{"name": "k", "benchmark_runs": 3}]})").kernels.size(),
            1u);
  EXPECT_CONTAINS(signatures_refusal(R"({"summary": {"launches": 3}, )" + groups + "}"),
                  "contains groups of kernels (output of --by), not kernels");
}

TEST(KernelSignatures, ContradictTheirSummary) {
  EXPECT_CONTAINS(signatures_refusal(with_summary(R"("unique_kernels": 3)")),
                  "s.json:1: \"unique_kernels\" in the summary is 3, but the kernels are 2");
  EXPECT_CONTAINS(signatures_refusal(with_summary(R"("launches": 3)")),
                  "\"launches\" in the summary is 3, but the kernels' launches are 78");
  EXPECT_CONTAINS(signatures_refusal(with_summary(R"("invocation_count": 4)")),
                  "is 4, but the kernels' launches are 78");
  EXPECT_CONTAINS(signatures_refusal(with_summary(R"("invocation_count": "many")")), "is \"many\", but");
  EXPECT_CONTAINS(signatures_refusal(with_summary(R"("tiers": {"tier2_cublas": {"unique_kernels": 2}})")),
                  "\"unique_kernels\" of tier 2 in the summary is 2, but the kernels are 1");
  EXPECT_CONTAINS(signatures_refusal(with_summary(R"("tiers": {"unknown": {"launches": 52}})")),
                  "\"launches\" of tier unknown in the summary is 52, but the kernels' launches are 26");
  // it may follow the kernels, too
  EXPECT_CONTAINS(signatures_refusal("{\"kernels\": [{\"name\": \"k\"}],\n\"summary\": {\"unique\": 7}}"),
                  "s.json:2: ");
}

}  // namespace
}  // namespace kjoule
