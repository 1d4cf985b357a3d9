#include "importers/kernel_csv.hpp"

#include <gtest/gtest.h>

#include <string>

#include "importers/expect_contains.hpp"
#include "importers/imported_text.hpp"

namespace kjoule {
namespace {

ImportedTable csv_imported(const std::string& text) {
  return imported(text, {}, "table.csv");
}

std::string csv_refusal(const std::string& text) {
  return refusal(text, {}, "table.csv");
}

bool warns_of(const ImportedTable& table, const std::string& text) {
  for (const std::string& warning : table.warnings)
    if (warning.find(text) != std::string::npos) return true;
  return false;
}

TEST(KernelCsv, QuotesMayFollowBackslashes) {
  const ImportedTable table = csv_imported(
      "name,device,count,signature_json\n"
      "\"void add<4, half>(int, half)\",0,26,"
      "\"{\\\"block\\\":[128,1,1],\\\"device\\\":0,\\\"grid\\\":[5,1,1],\\\"shared "
      "memory\\\":24,\\\"stream\\\":7}\"\n"
      "\"void add<4, half>(int, half)\",0,50,"
      "\"{\\\"block\\\":[128,1,1],\\\"device\\\":0,\\\"grid\\\":[8,1,1],\\\"shared "
      "memory\\\":0,\\\"stream\\\":7}\"\n"
      "\"Memcpy DtoH (Device -> Pageable)\",0,2,\"{\\\"bytes\\\":1,\\\"device\\\":0,\\\"stream\\\":7}\"\n");
  ASSERT_EQ(table.kernels.size(), 3U);
  EXPECT_EQ(table.kernels[0].name, "void add<4, half>(int, half)");
  EXPECT_EQ(table.kernels[0].grid, (Extent{5, 1, 1}));
  EXPECT_EQ(table.kernels[0].shared_bytes, 24);
  EXPECT_EQ(table.kernels[1].grid, (Extent{8, 1, 1}));
  EXPECT_EQ(table.kernels[2].bytes, 1);
  EXPECT_EQ(table.gpu, 0);
}

TEST(KernelCsv, LinesOfALaunchFollowOneAnother) {
  const std::string header = "ID,Kernel Name,Section Name,Metric Name,Metric Unit,Metric Value\n";
  // The second report begins with a metric that is not the duration.
  const ImportedTable table = csv_imported(header +
                                           "0,k,speed,Frequency,GHz,1\n0,k,speed,Duration,ns,5\n"
                                           "1,k,speed,Duration,ns,7\n1,k,launch,Grid,,1\n"
                                           "0,k,speed,Frequency,GHz,1\n0,k,speed,Duration,ns,9\n");
  ASSERT_EQ(table.kernels.size(), 1U);
  EXPECT_EQ(table.kernels[0].launches, 3U);
  EXPECT_EQ(table.kernels[0].times->total_ns, 21);
  EXPECT_EQ(csv_refusal(header + "0,k,a,Duration,ns,5\n1,k,a,Duration,ns,5\n0,k,b,Duration,ns,5\n"),
            "table.csv: the lines of one launch are not next to each other; write the table again with ncu "
            "--import REPORT --csv --page raw");
}

TEST(KernelCsv, ACellIsOneValue) {
  EXPECT_EQ(csv_imported("name,count,grid\nk,1,\"[1,2,3]\"\n").kernels[0].grid, (Extent{1, 2, 3}));
  for (const char* cell : {"[1,1,1]}{\"\"name\"\":\"\"z\"\"", "[1,1,1],\"\"count\"\":9", "[1", "[1]]"})
    EXPECT_CONTAINS(csv_refusal(std::string("name,count,grid\nk,1,\"") + cell + "\"\n"),
                    "table.csv:2: \"grid\" is not");
}

TEST(KernelCsv, ReadsTheColumnsThatScriptsUse) {
  for (const char* header :
       {"kernel_name,count", "Kernel Name,calls", "Name,Calls", "name,Count", "Kernel,# of Calls"}) {
    const ImportedTable table = csv_imported(std::string(header) + "\ngemm,7\nadd,2\n");
    ASSERT_EQ(table.kernels.size(), 2U) << header;
    EXPECT_EQ(table.kernels[0].launches, 7U) << header;
  }
}

TEST(KernelCsv, ReadsTheKernelsOfNsysStats) {
  const ImportedTable table = csv_imported(
      "Generating SQLite file run.sqlite from run.nsys-rep\n"
      "Processing [run.sqlite] with [reports/cuda_gpu_kern_sum.py]...\n\n"
      "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
      "50.1,99385786,32,3105805.8,3041179.0,2987340,3777790,216832.4,flash_attention\n"
      "19.0,37727461,193,195479.1,93278.0,22207,3320037,266509.9,\"void dequant<4, half>(int, half)\"\n");
  ASSERT_EQ(table.kernels.size(), 2U);
  EXPECT_EQ(table.kernels[0].launches, 32U);
  EXPECT_EQ(table.kernels[0].times->total_ns, 99385786);
  EXPECT_EQ(table.kernels[0].times->max_ns, 3777790);
  EXPECT_EQ(table.kernels[1].name, "void dequant<4, half>(int, half)");
  EXPECT_FALSE(warns_of(table, "unknown fields"));
}

TEST(KernelCsv, ReadsTheLaunchesOfNsysStats) {
  const ImportedTable table = csv_imported(
      "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes "
      "(MB),"
      "Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name\n"
      "100,2000,1,16,2,1,256,1,1,32,0.000,0.000,,,,,NVIDIA A100 (0),1,,7,gemm\n"
      "300,4000,2,16,2,1,256,1,1,32,0.000,0.000,,,,,NVIDIA A100 (0),1,,7,gemm\n"
      "500,1000,3,,,,,,,,,,4.000,5.0,Pageable,Device,NVIDIA A100 (0),1,,7,[CUDA memcpy Host-to-Device]\n");
  ASSERT_EQ(table.kernels.size(), 2U);
  EXPECT_EQ(table.kernels[0].launches, 2U);
  EXPECT_EQ(table.kernels[0].grid, (Extent{16, 2, 1}));
  EXPECT_EQ(table.kernels[0].times->total_ns, 6000);
  EXPECT_EQ(table.kernels[1].kind, ActivityKind::memcpy);
  EXPECT_EQ(table.kernels[1].name, "Memcpy HtoD");
  EXPECT_EQ(table.gpu, 0);
}

constexpr const char* kNcuHead =
    "==PROF== Connected to process 4242\n"
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block "
    "Size\",\"Grid "
    "Size\",\"Device\",\"CC\",";

TEST(KernelCsv, JoinsTheMetricsOfALaunchOfNcu) {
  const std::string launch =
      ",\"4242\",\"p\",\"h\",\"reduce(int*, int)\",\"1\",\"7\",\"(256, 1, 1)\",\"(16385, 1, "
      "1)\",\"0\",\"9.0\",\"Speed Of Light\",";
  const ImportedTable table = csv_imported(
      std::string(kNcuHead) + "\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n" +
      "\"0\"" + launch + "\"DRAM Frequency\",\"Ghz\",\"1.21\"\n" + "\"0\"" + launch +
      "\"Duration\",\"ns\",\"2,000\"\n" + "\"1\"" + launch + "\"Duration\",\"us\",\"3.5\"\n" +
      "==PROF== Disconnected from process 4242\n");
  ASSERT_EQ(table.kernels.size(), 1U);
  EXPECT_EQ(table.kernels[0].launches, 2U);
  EXPECT_EQ(table.kernels[0].grid, (Extent{16385, 1, 1}));
  EXPECT_EQ(table.kernels[0].block, (Extent{256, 1, 1}));
  EXPECT_EQ(table.kernels[0].times->total_ns, 5500);
}

TEST(KernelCsv, ReadsTheRawPageOfNcuWithItsUnits) {
  const ImportedTable table =
      csv_imported(std::string(kNcuHead) + "\"dram__bytes_read.sum\",\"gpu__time_duration.sum\"\n" +
                   "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"byte\",\"nsecond\"\n" +
                   "\"0\",\"1\",\"p\",\"h\",\"gemm\",\"1\",\"7\",\"(128, 1, 1)\",\"(80, 1, "
                   "1)\",\"0\",\"8.0\",\"2,000\",\"2,000,000\"\n");
  ASSERT_EQ(table.kernels.size(), 1U);
  EXPECT_EQ(table.kernels[0].times->total_ns, 2000000);
}

TEST(KernelCsv, SaysThatRowsWereAddedUp) {
  const ImportedTable table = csv_imported("name,count\ngemm,2\ngemm,3\nadd,1\n");
  EXPECT_EQ(table.kernels[0].launches, 5U);
  EXPECT_TRUE(warns_of(table, "3 rows for 2 kernels"));
  EXPECT_FALSE(warns_of(csv_imported("name,count\ngemm,2\nadd,1\n"), "rows for"));
}

TEST(KernelCsv, LeavesOutCallsOfTheHost) {
  const ImportedTable table = csv_imported(
      "device,category,kernel_name,count\nunknown,unknown,cudaLaunchKernel,15858\nunknown,unknown,"
      "cuLaunchKernelEx,3\n"
      "0,compute,cudaGraphKernelOfMine<4>,1\n0,compute,gemm,7\n");
  ASSERT_EQ(table.kernels.size(), 2U);
  EXPECT_TRUE(warns_of(table, "2 rows of host calls, such as cudaLaunchKernel, are ignored"));
}

TEST(KernelCsv, TimesWithUnitsMayHaveExponents) {
  const auto total_ns = [](const std::string& cell) {
    return csv_imported("name,count,Total Time\nk,1," + cell + "\n").kernels.at(0).times->total_ns;
  };
  EXPECT_EQ(total_ns("1.23e+03us"), 1'230'000);
  EXPECT_EQ(total_ns("1.5e-01 ms"), 150'000);
  EXPECT_EQ(total_ns("2E1us"), 20'000);
  EXPECT_CONTAINS(csv_refusal("name,count,Total Time\nk,1,1.2e+-3us\n"), "states no unit of time");
  const std::string ncu =
      "ID,Kernel Name,Section Name,Metric Name,Metric Unit,Metric Value\n0,k,a,Duration,us,";
  EXPECT_EQ(csv_imported(ncu + "1.2e+03\n").kernels.at(0).times->total_ns, 1'200'000);
  EXPECT_CONTAINS(csv_refusal(ncu + "1.2e+-3\n"), "is not a time");
}

TEST(KernelCsv, ACountOfOneIterationMayHaveAFraction) {
  const ImportedTable table =
      csv_imported("name,count,iterations,launches,total_us\nk,1.125,8,9,18.250\nl,2.000,8,16,3.500\n");
  EXPECT_EQ(table.kernels.at(0).launches, 9U);
  EXPECT_EQ(table.kernels.at(0).times->total_ns, 18'250);
  EXPECT_EQ(table.kernels.at(1).launches, 16U);
  EXPECT_CONTAINS(csv_refusal("name,count,total_us\nk,1.125,18.250\n"),
                  "table.csv: the number \"1.125\" may be 1125 or 1.125");
  EXPECT_EQ(csv_imported("name,count,total_us\nk,1.125,\"18,25\"\n").kernels.at(0).launches, 1125U)
      << "the comma before a fraction shows that points group digits";
}

TEST(KernelCsv, DamageIsNamedWithItsLine) {
  EXPECT_CONTAINS(csv_refusal("name,count\ngemm,1,2\n"), "table.csv:2: the row has 3 cells instead of 2");
  EXPECT_CONTAINS(csv_refusal("name,count\n\"gemm,1\n"), "table.csv:2: the file ends within quotation marks");
  EXPECT_CONTAINS(csv_refusal("name,\"count\n"), "table.csv:1: the file ends within quotation marks");
  EXPECT_CONTAINS(csv_refusal("Time (%),Total Time (ns),Instances,Name\n5,fast,1,gemm\n"), "is not a time");
  EXPECT_CONTAINS(csv_refusal("Kernel Name,Grid Size\ngemm,\"(16, 0, 1)\"\n"), "is not three");
  EXPECT_CONTAINS(csv_refusal("a,b\n1,2\n"), "no column \"name\"");
}

}  // namespace
}  // namespace kjoule
