#include "importers/profiler_averages.hpp"

#include <gtest/gtest.h>

#include <string>

#include "importers/expect_contains.hpp"
#include "importers/imported_text.hpp"

namespace kjoule {
namespace {

constexpr const char* kRuler =
    "------------------------------  ------------  ------------  ------------  ------------  ------------  "
    "\n";
constexpr const char* kHead =
    "                          Name      Self CPU     CPU total     Self CUDA    CUDA total    # of Calls  "
    "\n";

std::string averages(const std::string& lines, const std::string& head = kHead) {
  return std::string(kRuler) + head + kRuler + lines + kRuler + "Self CPU time total: 1.3ms\n";
}

std::string averages_refusal(const std::string& text) {
  return refusal(text, {}, "averages.txt");
}

TEST(ProfilerAverages, KernelsAreLinesWithoutTimeOfTheHost) {
  const ImportedTable table = imported(averages("                   aten::addmm     141.231us     492.593us  "
                                                "     0.000us      30.000us             3  "
                                                "\n"
                                                "  ampere_fp16_gemm_64x64_ldg8       0.000us       0.000us   "
                                                "    1.200ms       1.200ms             3  "
                                                "\n"
                                                "void at::native::vectorized...       0.000us       0.000us  "
                                                "    12.500us      12.500us             2  "
                                                "\n"
                                                "              cudaLaunchKernel      10.000us      10.000us  "
                                                "     0.000us       0.000us             5  "
                                                "\n"),
                                       {}, "averages.txt");
  ASSERT_EQ(table.kernels.size(), 2U);
  EXPECT_EQ(table.kernels[0].name, "ampere_fp16_gemm_64x64_ldg8");
  EXPECT_EQ(table.kernels[0].launches, 3U);
  EXPECT_EQ(table.kernels[0].times->total_ns, 1200000);
  EXPECT_EQ(table.kernels[1].times->total_ns, 12500);
  EXPECT_CONTAINS(table.warnings.back(), "the profiler shortened 1 name");
}

TEST(ProfilerAverages, RefusesATableWithoutAGpu) {
  EXPECT_CONTAINS(
      averages_refusal(averages(
          "aten::addmm  1us\n",
          "                          Name      Self CPU     CPU total    # of Calls                \n")),
      "this table contains no times of a GPU");
  EXPECT_CONTAINS(
      averages_refusal(averages("                   aten::addmm     141.231us     492.593us       0.000us   "
                                "   30.000us             3  \n")),
      "this table contains no kernels");
}

TEST(ProfilerAverages, RefusesDamagedTables) {
  EXPECT_CONTAINS(averages_refusal(averages("  gemm  1us\n")),
                  "averages.txt:4: the line has no times in the columns of the table's header");
  EXPECT_CONTAINS(averages_refusal(std::string(kRuler) + kHead + kRuler),
                  "the file ends within the profiler's table");
}

}  // namespace
}  // namespace kjoule
