#include "importers/profiler_averages.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
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

TEST(ProfilerAverages, ReadsTablesOfLogs) {
  const std::string table = averages(
      "                   aten::addmm     141.231us     492.593us       0.000us      30.000us             3  "
      "\n"
      "  ampere_fp16_gemm_64x64_ldg8       0.000us       0.000us       1.200ms       1.200ms             3  "
      "\n");
  std::vector<std::string> logs;
  for (const char* mark : {"[rank0]: ", "[default0]:", "1/3 - "}) {  // before each line
    std::string log = std::string(mark) + table;
    for (size_t at = log.find('\n'); at + 1 < log.size(); at = log.find('\n', at + 1))
      log.insert(at + 1, mark);
    logs.push_back(log);
  }
  for (const char* rest : {"", "[rank0]: ", "stdout F "}) {  // before each line, with times that differ
    std::string log;
    int line = 0;
    for (size_t at = 0; at < table.size(); at = table.find('\n', at) + 1, line += 7)
      log += (line % 2 == 0 ? fmt::format("2026-03-05T14:00:{:02}.5Z {}", line, rest)
                            : fmt::format("2026-03-05T14:00:{:02}.1234Z {}", line, rest)) +
             table.substr(at, table.find('\n', at) + 1 - at);
    logs.push_back(log);
  }
  for (const char* mark : {"2026-03-05 14:00:05,123 - train - INFO - ", "INFO:root:", "[2026-03-05] [INFO] "})
    logs.push_back("epoch 3\n" + (mark + table));  // before the table only
  for (const std::string& log : logs) {
    const ImportedTable read = imported(log, {}, "train.log");
    ASSERT_EQ(read.kernels.size(), 1U) << log;
    EXPECT_EQ(read.kernels[0].name, "ampere_fp16_gemm_64x64_ldg8") << log;
    EXPECT_EQ(read.kernels[0].times->total_ns, 1200000) << log;
  }
}

TEST(ProfilerAverages, LinesOfOtherRanksAreNotRead) {
  const std::string table = averages(
      "  ampere_fp16_gemm_64x64_ldg8       0.000us       0.000us       1.200ms       1.200ms             3  "
      "\n");
  for (const char* time : {"", "2026-03-05T14:00:05.5Z "}) {
    std::string log;
    for (size_t at = 0; at < table.size(); at = table.find('\n', at) + 1)
      for (const int rank : {0, 1})
        log += fmt::format("{}[rank{}]: {}", time, rank, table.substr(at, table.find('\n', at) + 1 - at));
    EXPECT_CONTAINS(averages_refusal(log), "this is text output of torch.profiler in an unknown form");
  }
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

/// A row with the times of the host and of the GPU, in us.
std::string average_row(const std::string& name, const std::string& host, const std::string& device) {
  const auto cell = [](const std::string& text, size_t width) {
    return std::string(width - std::min(width, text.size()), ' ') + text + "  ";
  };
  return cell(name, 30) + cell(host, 12) + cell(host, 12) + cell(device, 12) + cell(device, 12) +
         cell("2", 12) + "\n";
}

TEST(ProfilerAverages, RangesAreNotKernels) {
  const std::string rows =
      average_row("ProfilerStep*", "0.000us", "90.000us") + average_row("my_range", "7.000us", "0.000us") +
      average_row("my_range", "0.000us", "80.000us") + average_row("gemm", "0.000us", "60.000us");
  const ImportedTable table =
      imported(averages(rows) + "Self CUDA time total: 60.000us\n", {}, "averages.txt");
  ASSERT_EQ(table.kernels.size(), 1U);
  EXPECT_EQ(table.kernels[0].name, "gemm");
  EXPECT_CONTAINS(table.warnings.back(), "2 rows of ranges, such as \"ProfilerStep*\", are not read");
}

TEST(ProfilerAverages, TheSumOfKernelsIsTheTotal) {
  const std::string rows = average_row("gemm", "0.000us", "60.000us");
  const auto told = [&](const char* total) {
    return averages_refusal(averages(rows) + "Self CUDA time total: " + total + "\n");
  };
  EXPECT_EQ(told("60.000us"), "nothing was refused");
  EXPECT_EQ(told("0.060ms"), "nothing was refused");
  EXPECT_CONTAINS(told("61.000us"),
                  "take 60.000 us, but the line below it states 61.000 us: lines are missing");
  EXPECT_CONTAINS(told("59.000us"), "some of the rows are ranges, not kernels");
}

TEST(ProfilerAverages, RefusesDamagedTables) {
  EXPECT_CONTAINS(averages_refusal(averages("  gemm  1us\n")),
                  "averages.txt:4: the line has no times in the columns of the table's header");
  EXPECT_CONTAINS(averages_refusal(std::string(kRuler) + kHead + kRuler),
                  "the file ends within the profiler's table");
}

}  // namespace
}  // namespace kjoule
