#include "importers/gemm_sizes.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "importers/classified_table.hpp"
#include "importers/expect_contains.hpp"
#include "importers/imported_file.hpp"
#include "importers/imported_text.hpp"
#include "importers/replay_plan.hpp"

namespace kjoule {
namespace {

/// A row as in the published table of BLOOM, whose `params` repeats other fields, too.
std::string bloom_row(const std::string& sizes) {
  return R"({"kernels": [{"name": "maxwell_sgemm_fp16_128x32_tn", "tier": 2, "count": 24, "signature": {"device": 0, )"
         R"("stream": 7, "grid": [24, 1, 5], "block": [256, 1, 1], "shared memory": 16384}, "params": )"
         R"({"grid": [24, 1, 5], "block": [256, 1, 1], "shared_memory": 16384, "dtype": "fp16", "tile_m": 128, )" +
         sizes + "}}]}";
}

ImportedTable classified_text(const std::string& text, const std::string& file) {
  ImportedTable table = import_text(PaddedText::copy_of(text), {}, file);
  KernelRules rules;
  classify(table, rules);
  return table;
}

std::string sizes_refusal(const std::string& sizes) {
  try {
    classified_text(bloom_row(sizes), "s.json");
  } catch (const Error& error) {
    return error.line();
  }
  return "nothing was refused";
}

/// The plan of a table of CSV with one kernel.
ReplayPlan plan_of_csv(const std::string& csv) {
  return make_replay_plan(classified_text(csv, "table.csv"));
}

TEST(GemmSizes, AreReadFromParamsOfSignatures) {
  const ImportedTable table = classified_text(bloom_row(R"("M": 5, "K": 1024, "N": 3072)"), "s.json");
  const GemmSizes& gemm = table.kernels.at(0).gemm;
  EXPECT_EQ(gemm, (GemmSizes{5, 3072, 1024, {}, "float16"}));
  EXPECT_TRUE(table.warnings.empty() || table.warnings[0].find("cannot be replayed") == std::string::npos);
  EXPECT_EQ(classified_text(bloom_row(R"("m": 5, "k": 1024, "n": 3072)"), "s.json").kernels[0].gemm, gemm);
  const ReplayPlan plan = make_replay_plan(table);
  ASSERT_EQ(plan.calls.size(), 1U) << plan.kernels[0].why_not;
  EXPECT_EQ(std::get<MatrixProduct>(plan.calls[0]),
            (MatrixProduct{5, 3072, 1024, 1, "float16", "maxwell_sgemm_fp16_128x32_tn", Extent{24, 1, 5},
                           Extent{256, 1, 1}}));
}

TEST(GemmSizes, AreReadFromColumns) {
  // pandas writes whole numbers with a fraction where other rows have none
  const ReplayPlan plan = plan_of_csv(
      "name,count,M,N,K,batch,dtype\nampere_sgemm_128x64_tn,7,5.0,3072.0,1024.0,16.0,torch.float32\nfill,3,,,"
      ",,\n");
  ASSERT_EQ(plan.calls.size(), 1U) << plan.kernels[0].why_not;
  EXPECT_EQ(std::get<MatrixProduct>(plan.calls[0]),
            (MatrixProduct{5, 3072, 1024, 16, "float32", "ampere_sgemm_128x64_tn", {}, {}}));
  EXPECT_EQ(plan.kernels[1].call, std::nullopt);
}

TEST(GemmSizes, ACallWithoutAKernelIsAProductOfUnknownKernel) {
  const ImportedTable table =
      classified_text(R"({"name": "transformer.h.0.mlp", "M": 5, "N": 4096, "K": 1024, "dtype": "bf16"})"
                      "\n"
                      R"({"name": "lm_head", "M": 5, "N": 250880, "K": 1024, "dtype": "bf16"})",
                      "linear.jsonl");
  const ReplayPlan plan = make_replay_plan(table);
  ASSERT_EQ(plan.calls.size(), 2U) << plan.kernels[0].why_not;
  EXPECT_EQ(std::get<MatrixProduct>(plan.calls[1]),
            (MatrixProduct{5, 250880, 1024, 1, "bfloat16", "", {}, {}}));
}

TEST(GemmSizes, OtherSizesAreAnotherKernel) {
  EXPECT_EQ(classified_text("name,count,M,N,K\ng,1,5,6,7\ng,2,5,6,8\ng,4,5,6,7\n", "t.csv").kernels.size(),
            2U);
}

TEST(GemmSizes, AnNAloneIsNoSizeOfAProduct) {
  EXPECT_FALSE(classified_text("name,n\ngemm,0\n", "t.csv").kernels[0].gemm.stated());
}

TEST(GemmSizes, SurviveImport) {
  ImportedTable table = classified_text(bloom_row(R"("M": 5, "K": 1024, "N": 3072, "batch": 3)"), "s.json");
  const ImportedTable again =
      read_imported_table(PaddedText::copy_of(imported_table_text(table)), "kernels.jsonl");
  EXPECT_EQ(again.kernels.at(0).gemm, table.kernels[0].gemm);
  EXPECT_EQ(signature_of(again.kernels[0]), signature_of(table.kernels[0]));
}

TEST(GemmSizes, ImpossibleSizesAreRefused) {
  for (const char* bad : {"0", "-5", "5.5", "2147483648", "1e300", "\"five\"", "[5]", "true"})
    EXPECT_CONTAINS(sizes_refusal(std::string(R"("N": 3072, "K": 1024, "M": )") + bad),
                    "\"params.M\" is not a whole number from 1 to 2147483647");
  EXPECT_CONTAINS(sizes_refusal(R"("M": 5, "m": 6, "N": 1, "K": 2)"), "two fields contradict each other");
  EXPECT_CONTAINS(sizes_refusal(R"("M": 5, "N": 1, "K": 2, "batch": 0)"), "\"params.batch\" is not");
  EXPECT_CONTAINS(sizes_refusal(R"("M": 5, "N": 1, "K": 2, "K": 2)"), "given twice");
}

TEST(GemmSizes, MissingSizesAndTypesAreTheReasonOfTheirRow) {
  EXPECT_CONTAINS(plan_of_csv("name,M,K\nampere_sgemm_tn,5,7\n").kernels[0].why_not, "but not N");
  EXPECT_CONTAINS(plan_of_csv("name,M,N,K\nampere_sgemm_tn,5,,\n").kernels[0].why_not, "but not N and K");
  EXPECT_CONTAINS(plan_of_csv("name,M,N,K\nmy_gemm,5,6,7\n").kernels[0].why_not,
                  "add dtype to its row: float16");
  EXPECT_CONTAINS(plan_of_csv("name,M,N,K,dtype\nmy_gemm,5,6,7,fp3\n").kernels[0].why_not,
                  "\"fp3\" is not a type of matrices");
}

TEST(GemmSizes, TypesHaveManyNames) {
  for (const char* name : {"fp16", "Half", "c10::Half", "torch.float16", "CUDA_R_16F", "__half"})
    EXPECT_EQ(matrix_type_named(name), "float16") << name;
  EXPECT_EQ(matrix_type_named("BFloat16"), "bfloat16");
  EXPECT_EQ(matrix_type_named("torch.float8_e4m3fn"), "float8_e4m3");
  EXPECT_EQ(matrix_type_named("fp8"), std::nullopt);
  EXPECT_EQ(matrix_type_named(""), std::nullopt);
}

}  // namespace
}  // namespace kjoule
