#include "importers/classified_table.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "base/process/temporary_folder.hpp"

namespace kjoule {
namespace {

TEST(ClassifiedTable, UsesTheUsersRulesBeforeTheTierThatTheTableStates) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "mine.jsonl").string();
  std::ofstream(path) << R"({"function": "mine*", "tier": 3})"
                         "\n"
                         R"({"function": "other", "tier": "unknown"})";
  KernelRules rules = KernelRules::with(path);
  ImportedTable table;
  for (const char* name : {"mine_gemm", "nvjet_hsh_64x8", "other"}) {
    table.kernels.emplace_back().name = name;
    table.kernels.back().tier = Tier::cuda_runtime;
  }
  classify(table, rules);
  EXPECT_EQ(table.kernels[0].tier, Tier::framework);
  EXPECT_EQ(table.kernels[1].tier, Tier::cuda_runtime) << "kjoule's own rules know it, the table decides";
  EXPECT_EQ(table.kernels[1].family, "cublaslt");
  EXPECT_EQ(table.kernels[2].tier, Tier::unknown);
}

}  // namespace
}  // namespace kjoule
