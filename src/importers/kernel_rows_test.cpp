#include "importers/kernel_rows.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "importers/device_choice.hpp"
#include "importers/expect_contains.hpp"
#include "importers/imported_file.hpp"
#include "importers/imported_text.hpp"
#include "importers/supply_shapes.hpp"
#include "importers/trace_builder.hpp"

namespace kjoule {
namespace {

const char* const kJsonl =
    R"x({"name": "gemm", "device": 0, "signature": {"grid": [16, 1, 1], "block": [128, 1, 1], )x"
    R"x("shared memory": 49152, "stream": 7}, "args": {"registers per thread": 32}, "count": 52})x"
    "\n"
    R"x({"name": "Memcpy HtoD (Pageable -> Device)", "device": 0, "signature": {"bytes": 4096, "stream": 7}, )x"
    R"x("count": 26})x"
    "\n";

TEST(KernelRows, CountsOfATableAreOverTheWholeTrace) {
  const ImportedTable table = imported(kJsonl);
  ASSERT_EQ(table.kernels.size(), 2u);
  EXPECT_EQ(table.kernels[0].launches, 52u);
  EXPECT_EQ(table.kernels[0].shared_bytes, 49152);
  EXPECT_EQ(table.kernels[1].kind, ActivityKind::memcpy);
  EXPECT_EQ(table.kernels[1].tier, Tier::cuda_runtime);
  EXPECT_FALSE(table.iterations.known());
  EXPECT_FALSE(table.count(table.kernels[0]));
  ImportChoice choice;
  choice.iterations = 26;
  EXPECT_EQ(imported(kJsonl, choice).count(table.kernels[0]), 2.0);
  choice.iterations = 20;
  const ImportedTable odd = imported(kJsonl, choice);
  EXPECT_EQ(odd.count(odd.kernels[0]), 2.6);
  EXPECT_FALSE(odd.steady(odd.kernels[0]));
}

TEST(KernelRows, OtherIterationsThanTheTablesOwnAreFlagged) {
  const char* const text =
      R"({"name": "k", "count": 12, "iterations": 1, "steady": true, "launches": 12, "fewest": 12, "most": 12})";
  ImportChoice choice;
  choice.iterations = 5;
  const ImportedTable table = imported(text, choice);
  EXPECT_EQ(table.count(table.kernels[0]), 2.4);
  EXPECT_FALSE(table.steady(table.kernels[0]));
  EXPECT_FALSE(table.kernels[0].fewest || table.kernels[0].most);
  EXPECT_CONTAINS(table.warnings.at(0),
                  "the number of iterations is 5, as given with --iterations, although the table states 1");
  choice.iterations = 1;
  EXPECT_EQ(imported(text, choice).kernels[0].most, 12u);
  EXPECT_EQ(imported(text, choice).warnings.size(), 1u) << "of shapes only";
}

TEST(KernelRows, CsvSaysTheSame) {
  const ImportedTable csv = imported(
      "name,device,grid,block,shared memory,stream,bytes,count\n"
      "gemm,0,\"[16, 1, 1]\",128x1x1,49152,7,,52\n"
      "Memcpy HtoD (Pageable -> Device),0,,,,7,4096,26\n");
  const ImportedTable jsonl = imported(kJsonl);
  ASSERT_EQ(csv.kernels.size(), jsonl.kernels.size());
  for (size_t k = 0; k < csv.kernels.size(); ++k) {
    EXPECT_EQ(signature_of(csv.kernels[k]), signature_of(jsonl.kernels[k]));
    EXPECT_EQ(csv.kernels[k].launches, jsonl.kernels[k].launches);
  }
}

TEST(KernelRows, AnArrayOfRowsIsATable) {
  const ImportedTable table = imported(R"([{"name": "k", "tier": 2, "count": 3, "iterations": 1},
      {"tier": "unknown", "name": "other", "count": 1, "iterations": 1}])");
  ASSERT_EQ(table.kernels.size(), 2u);
  EXPECT_EQ(table.count(table.kernels[0]), 3.0);
  EXPECT_CONTAINS(refusal(R"([{"name": "k"}] 1)"), "the file contains text after the end of the table");
}

TEST(KernelRows, RefusesRowsThatContradictThemselves) {
  EXPECT_CONTAINS(
      refusal("{\"name\": \"a\"}\n{\"name\": \"k\", \"count\": 52, \"invocation_count\": 60}"),
      "k.jsonl:2: two fields contradict each other: \"count\" is 52, but \"invocation_count\" is 60");
  EXPECT_CONTAINS(
      refusal(R"({"name": "k", "grid": "8x1x1", "signature": {"grid": [16, 1, 1]}})"),
      R"(k.jsonl:1: two fields contradict each other: "grid" is "8x1x1", but "signature.grid" is [16, 1, 1])");
  EXPECT_CONTAINS(refusal(R"({"name": "k", "signature": {"block": [64,1,1]}, "args": {"block": [32,1,1]}})"),
                  R"("signature.block" is [64,1,1], but "args.block" is [32,1,1])");
  EXPECT_CONTAINS(refusal("name,count,invocation_count\nk,1,1\nk,2,3\n"),
                  "k.jsonl:3: two fields contradict each other: \"count\" is \"2\", but");
  const ImportedTable same = imported(
      R"({"name": "k", "count": 2, "invocation_count": 2, "grid": "8x1x1", "args": {"grid": [8, 1, 1]}})");
  EXPECT_EQ(same.kernels[0].launches, 2u);
  // of an imported table: launches of all iterations, and the count of one
  EXPECT_EQ(imported(R"({"name": "k", "count": 2, "launches": 52, "iterations": 26})").kernels[0].launches,
            52u);
}

TEST(KernelRows, LaunchesAreCountTimesIterations) {
  const auto row = [](const char* name, const char* numbers) {
    return fmt::format(R"({{"name": "{}", {}}})", name, numbers) + "\n";
  };
  EXPECT_CONTAINS(refusal(row("k", R"("launches": 52, "count": 3, "iterations": 26)")),
                  R"("launches" is 52, but "count" is 3, in each of 26 iterations)");
  EXPECT_CONTAINS(refusal(row("k", R"("launches": 2, "count": 52)")),
                  R"("launches" is 2, but "count" is 52)");
  EXPECT_CONTAINS(
      refusal(row("k", R"("launches": 52, "count": 2)") + row("l", R"("launches": 60, "count": 2)")),
      "k.jsonl:2: \"launches\" and \"count\" of this kernel");
  EXPECT_EQ(imported(row("k", R"("launches": 52, "count": 2.6, "iterations": 20)")).kernels[0].launches, 52u);
  EXPECT_EQ(imported(row("k", R"("launches": 1, "count": 0.333, "iterations": 3)")).kernels[0].launches, 1u);
  EXPECT_EQ(imported(row("k", R"("launches": 20.0, "count": 2.0, "iterations": 10)")).kernels[0].launches,
            20u);
  for (const char* numbers : {R"("launches": 1, "count": 3.33e-01, "iterations": 3)",
                              R"("launches": 1, "count": 2.5e-06, "iterations": 400000)",
                              R"("launches": 1, "count": 1e-05, "iterations": 100000)"})
    EXPECT_EQ(imported(row("k", numbers)).kernels[0].launches, 1u) << numbers;
  EXPECT_CONTAINS(refusal(row("k", R"("launches": 1, "count": 2.5e-06, "iterations": 200000)")),
                  "contradict each other");
}

TEST(KernelRows, ReadsTheFieldsOfOtherTools) {
  const ImportedTable table =
      imported(R"x({"KernelName": "k", "Calls": 4, "TotalDurationNs": 6000, "Max (us)": 2})x");
  EXPECT_EQ(table.kernels[0].launches, 4u);
  EXPECT_EQ(table.kernels[0].times->total_ns, 6000);
  EXPECT_EQ(table.kernels[0].times->max_ns, 2000);
  EXPECT_CONTAINS(imported(R"({"name": "k", "count": 4, "gpu_time_us": 6})").warnings.back(),
                  "the times in \"gpu_time_us\" are not read");
  EXPECT_EQ(imported(R"({"name": "k", "count": 1, "gpu_time_us": 6})").kernels[0].times->total_ns, 6000);
  EXPECT_CONTAINS(imported(R"({"name": "k", "total_time": 6})").warnings.back(),
                  "not read, although it may hold times");
  EXPECT_CONTAINS(refusal(R"({"name": "k", "grid": "1,048,576"})"),
                  "may be three numbers or one with grouped digits");
}

TEST(KernelRows, WholeNumbersMayEndWithPointZero) {
  EXPECT_EQ(imported(R"({"name": "k", "count": 500.0})").kernels[0].launches, 500u);
  EXPECT_EQ(imported("name,count,bytes\nk,500.0,64.0\n").kernels[0].bytes, 64);
  for (const char* bad : {"\".0\"", "\"-.0\"", "5.00", "0.0"})
    EXPECT_CONTAINS(refusal(fmt::format(R"({{"name": "k", "count": {}}})", bad)),
                    "\"count\" is not a whole number");
}

TEST(KernelRows, ATableOfHostCallsIsRefused) {
  EXPECT_CONTAINS(refusal(R"([{"name": "cudaLaunchKernel", "count": 4}, {"name": "hipFree"}])"),
                  "contains no kernels, but 2 calls of the host, such as cudaLaunchKernel");
}

TEST(KernelRows, RefusesTimesThatContradictEachOther) {
  const auto row = [](const std::string& fields) {
    return refusal("{\"name\": \"a\"}\n{\"name\": \"k\", \"count\": 3, " + fields + "}");
  };
  EXPECT_CONTAINS(
      row(R"("mean_us": 5, "total_us": 99)"),
      "k.jsonl:2: the times contradict each other: \"total_us\" is 99, but \"mean_us\" is 5, for 3 launches");
  EXPECT_CONTAINS(row(R"("mean_us": 50, "total_us": 99)"), "\"mean_us\" is 50, but \"total_us\" is 99");
  EXPECT_CONTAINS(row(R"("mean_us": 5, "min_us": 9)"), "\"min_us\" is 9, but \"mean_us\" is 5");
  EXPECT_CONTAINS(row(R"("mean_us": 5, "max_us": 2)"), "\"mean_us\" is 5, but \"max_us\" is 2");
  EXPECT_CONTAINS(row(R"("min_us": 9.5, "max_us": 2)"), "\"min_us\" is 9.5, but \"max_us\" is 2");
  EXPECT_CONTAINS(row(R"("min_us": 9, "total_us": 15.0)"), "\"min_us\" is 9, but \"total_us\" is 15.0");
  // rounded: a percent, or to few digits
  EXPECT_EQ(row(R"("mean_us": 5.04, "total_us": "15.00")"), "nothing was refused");
  EXPECT_EQ(row(R"("mean_us": 1.5, "min_us": 1.46, "max_us": 1.54, "total_us": 4.62)"),
            "nothing was refused");
  EXPECT_EQ(row(R"("mean_us": 1.2e+03, "total_us": 3.69e+03)"), "nothing was refused");
  EXPECT_CONTAINS(row(R"("mean_us": 1.2e+03, "total_us": 4.69e+03)"), "contradict each other");
  EXPECT_EQ(row(R"("mean_us": 1.5, "total_us": 0)").substr(0, 10), "k.jsonl:2:");
}

TEST(KernelRows, RowsWithoutACountAmongOthersAreReported) {
  const auto warning = [](const std::string& text) {
    std::string all;
    for (const std::string& warning : imported(text).warnings) all += warning + "\n";
    return all;
  };
  const std::string counted = "{\"name\": \"k\", \"count\": 3}\n", nothing = "{\"name\": \"l\"}\n",
                    null = "{\"name\": \"m\", \"count\": null}\n";
  EXPECT_CONTAINS(warning(counted + nothing + null), "2 of 3 rows have no \"count\"");
  EXPECT_EQ(warning(nothing + null).find("no \"count\""), std::string::npos);
  EXPECT_EQ(warning(counted).find("no \"count\""), std::string::npos);
}

TEST(KernelRows, FieldsThatAreNearKnownOnesAreReported) {
  const auto warning = [](const std::string& text) { return imported(text).warnings.back(); };
  EXPECT_CONTAINS(warning(R"({"name": "k", "cuont": 3, "args": {"grd": [1, 1, 1]}})"),
                  R"(ignored: "cuont" (misspelt "count"?), "grd" (misspelt "grid"?))");
  EXPECT_CONTAINS(warning("name,operator,Coumt\nk,,3\n"), R"("Coumt" (misspelt "count"?))");
  EXPECT_CONTAINS(
      warning(
          R"({"name": "k", "queue": 3, "type": 1, "id": 2, "stream": 7, "args": {"registers per thread": 32}})"),
      "no operator with shapes");
}

TEST(KernelRows, RefusesExtentsThatNoLaunchHas) {
  for (const char* bad : {"[0, 1, 1]", "[1, 1, 2147483648]", "[-1, 1, 1]", "\"1x0x1\""})
    for (const char* field : {"grid", "block"})
      EXPECT_CONTAINS(
          refusal(fmt::format(R"({{"name": "k", "{}": {}}})", field, bad)),
          fmt::format("k.jsonl:1: \"{}\" is not three whole numbers from 1 to 2147483647", field));
  EXPECT_EQ(imported(R"({"name": "k", "grid": [2147483647, 1, 1]})").kernels[0].grid,
            (Extent{2147483647, 1, 1}));
  EXPECT_FALSE(imported(R"x({"name": "Memset (Device)", "grid": [0, 0, 0]})x").kernels[0].grid);
}

TEST(KernelRows, AsksForTheWholeFileOnlyWhereItEndsTooEarly) {
  for (const char* cut : {R"({"name": "k", "cou)", "name,count\n\"k,1\n", "name,count\nk,1\nk"})
    EXPECT_CONTAINS(refusal(cut), "copied completely");
  for (const char* wrong : {R"({"name": "k", "count": -1})", R"({"name": "k", "count": 1, "count": 2})",
                            "name,count\nk,1,2\n", "name,count\nk,x\n"})
    EXPECT_EQ(refusal(wrong).find("copied completely"), std::string::npos) << refusal(wrong);
}

TEST(KernelRows, TiersAreTiers) {
  const auto tier = [](const std::string& tier) {
    return imported(R"({"name": "k", "tier": )" + tier + "}").kernels[0].tier;
  };
  EXPECT_EQ(tier("2"), Tier::vendor_library);
  EXPECT_EQ(tier("\"3\""), Tier::framework);
  EXPECT_EQ(tier("\"tier2_cublas\""), Tier::vendor_library);
  for (const char* unknown : {"\"unknown\"", "0", "null", "\"\""}) EXPECT_EQ(tier(unknown), Tier::unknown);
  for (const char* none : {"9", "-1", "\"vendor\"", "\"tier0\"", "\"tier\"", "[2]", "2.5"})
    EXPECT_CONTAINS(refusal(std::string("{\"name\": \"a\"}\n{\"name\": \"k\", \"tier\": ") + none + "}"),
                    "k.jsonl:2: \"tier\" must be");
}

TEST(KernelRows, SumsThatWouldWrapAreRefused) {
  const std::string half = R"({"name": "k", "count": 9223372036854775807})";
  EXPECT_EQ(imported(half + "\n" + half).kernels[0].launches, 18446744073709551614u);
  EXPECT_CONTAINS(refusal(half + "\n" + half + "\n{\"name\": \"other\", \"count\": 2}"),
                  "k.jsonl:3: the sum of its 2 launches and those of the kernels before it");
}

TEST(KernelRows, WarnsOfACsvWhoseEndMayBeMissing) {
  const std::string text = "name,operator,input_dims,count\nk,aten::mm,\"[[2, 3]]\",52";
  const ImportedTable cut = imported(text);
  EXPECT_EQ(cut.kernels[0].launches, 52u);
  ASSERT_EQ(cut.warnings.size(), 1u);
  EXPECT_CONTAINS(cut.warnings[0], "no line end");
  EXPECT_TRUE(imported(text + "\n").warnings.empty());
}

TEST(KernelRows, ReportsWhatIsNoTableOfOurs) {
  EXPECT_CONTAINS(refusal(std::string("SQLite format 3\0 and more, with a comma", 40)),
                  "k.jsonl: is a binary file");
  EXPECT_CONTAINS(refusal("name;count\nk;1\n"),
                  "separated by semicolons; convert the file so that commas separate the columns");
  EXPECT_CONTAINS(refusal("name\tcount\nk\t1\n"), "separated by tabs");
  EXPECT_CONTAINS(refusal("name,tier,replayed\nk,1,same\n"), "pass the kernels.jsonl in the same folder");
}

TEST(KernelRows, ADeviceThatIsNotThereIsNamed) {
  ImportChoice choice;
  choice.gpu = 1;
  EXPECT_CONTAINS(refusal(kJsonl, choice),
                  "contains no kernels of device 1; choose a device of the file with --gpu: 0");
  choice.gpu = 0;
  EXPECT_EQ(imported(kJsonl, choice).gpu, 0);
}

TEST(KernelRows, OnlyTracesMentionAnnotations) {
  EXPECT_EQ(imported(kJsonl).iterations_missing().find("--annotation"), std::string::npos);
  EXPECT_CONTAINS(imported(TraceBuilder().unmarked(2).text()).iterations_missing(), "--annotation NAME");
}

TEST(KernelRows, KernelsOfSeveralGpusStaySeparate) {
  const std::string text = R"({"name": "k", "device": 0, "count": 2})"
                           "\n"
                           R"({"name": "k", "device": 1, "count": 3})"
                           "\n"
                           R"({"name": "k", "device": 1, "count": 4})"
                           "\n";
  const ImportedTable all = imported(text);
  ASSERT_EQ(all.kernels.size(), 2u);
  EXPECT_EQ(all.kernels[0].launches, 2u);
  EXPECT_EQ(all.kernels[1].launches, 7u);
  EXPECT_EQ(all.gpus(), (std::set<int64_t>{0, 1}));
  EXPECT_FALSE(all.gpu);
  EXPECT_CONTAINS(all.warnings.back(), "the table has 3 rows for 2 kernels: rows with equal GPU, name");
  EXPECT_THROW(require_one_gpu(all), Error);
  ImportChoice choice;
  choice.gpu = 1;
  const ImportedTable one = imported(text, choice);
  ASSERT_EQ(one.kernels.size(), 1u);
  EXPECT_EQ(one.kernels[0].launches, 7u);
  EXPECT_NO_THROW(require_one_gpu(one));
}

/// Earlier versions wrote the GPU to the header only.
TEST(KernelRows, AnImportOfOneGpuIsOfThatGpu) {
  const std::string text =
      R"({"format": "kjoule-kernels", "version": 1, "source": "t.json", "source_format": "x", "gpu": 2, )"
      R"("iterations": null, "warm_up_iterations": 0, "launches_left_out": 0, "warnings": [], "kernels": 1})"
      "\n"
      R"({"name": "k", "launches": 3})"
      "\n";
  ImportChoice choice;
  choice.gpu = 2;
  EXPECT_EQ(imported(text, choice).kernels.at(0).gpu, 2);
  choice.gpu = 0;
  EXPECT_CONTAINS(refusal(text, choice), "no kernels of device 0; choose a device of the file with --gpu: 2");
}

TEST(KernelRows, RefusesWhatIsWrong) {
  const std::string whole = kJsonl;
  EXPECT_CONTAINS(refusal(whole.substr(0, whole.size() - 10)), "k.jsonl:2: the file ends");
  EXPECT_CONTAINS(refusal(R"({"name": "k", "count": 0})"), "\"count\" is not a whole number of at least 1");
  EXPECT_CONTAINS(refusal(R"({"name": "k", "count": 1.5})"), "\"count\" is not a whole number");
  EXPECT_CONTAINS(refusal(R"({"name": "k", "count": 1, "count": 2})"), "is given twice");
  EXPECT_CONTAINS(refusal(R"({"name": ["k"]})"), "\"name\" is not a text");
  EXPECT_CONTAINS(refusal(R"({"name": "k", "grid": "all"})"), "three whole numbers");
  EXPECT_CONTAINS(refusal(R"({"name": "k", "total_us": NaN})"), "is not a time");
  EXPECT_CONTAINS(refusal(R"({"name": "k", "total_us": -1})"), "is not a time");
  EXPECT_CONTAINS(refusal("name,count\nk\n"), "k.jsonl:2: the row has 1 cells instead of 2");
  EXPECT_CONTAINS(refusal("name,count\n\"k,1\n"), "quotation marks");
  EXPECT_CONTAINS(refusal("a,b\n1,2\n"), "no column \"name\"");
  EXPECT_CONTAINS(refusal(R"({"kernels": []})"), "no kernels");
  EXPECT_CONTAINS(refusal("nothing of the kind"), "the file is neither a trace nor a kernel table");
}

TEST(ImportedFile, KeepsTheTable) {
  const ImportedTable table = imported(TraceBuilder().warm_up(1).steps(4).text());
  const std::string text = imported_table_text(table);
  const ImportedTable again = imported(text);
  EXPECT_EQ(imported_table_text(again), text);
  EXPECT_EQ(again.count(again.kernels[0]), 2.0);
  EXPECT_CONTAINS(refusal(text.substr(0, text.rfind('\n', text.size() - 2) + 1)), "contains 1 of 2 kernels");
}

TEST(ImportedFile, RefusesNumbersThatAreNone) {
  const std::string text = imported_table_text(imported(TraceBuilder().steps(4).text()));
  for (const char* number : {"2e29", "1.5", "-1", "\"4\"", "99999999999999999999"}) {
    std::string changed = text;
    changed.replace(changed.find("\"iterations\":4"), 14, std::string("\"iterations\":") + number);
    EXPECT_CONTAINS(refusal(changed), "k.jsonl:1: a field of the first line");
  }
}

TEST(SupplyShapes, AreThoseOfTheKernelThatAgrees) {
  ImportedTable table = imported(kJsonl);
  supply_shapes(table, imported(TraceBuilder().steps(2).text()));
  EXPECT_EQ(table.kernels[0].launched_by.name, "aten::addmm");
  ASSERT_EQ(table.warnings.size(), 1u);
  EXPECT_CONTAINS(table.warnings[0], "for 2 of them, ");
}

TEST(SupplyShapes, ReportsWhyNothingIsSupplied) {
  const auto warning = [](const ImportedTable& like) {
    ImportedTable table = imported(kJsonl);
    supply_shapes(table, like);
    return table.warnings.at(0);
  };
  EXPECT_CONTAINS(warning(imported(kJsonl)), "k.jsonl supplies none: it contains no operators");
  EXPECT_CONTAINS(warning(imported(TraceBuilder().without_shapes().steps(2).text())),
                  "its operators have no shapes");
  ImportedTable like = imported(TraceBuilder().steps(2).text());
  for (ImportedKernel& kernel : like.kernels) kernel.grid = Extent{2, 2, 2};
  EXPECT_CONTAINS(warning(like), "another grid, block or size");
  for (ImportedKernel& kernel : like.kernels) kernel.name = "other";
  EXPECT_CONTAINS(warning(like), "has the name of such a kernel");
}

TEST(SupplyShapes, CountsKernelsWhoseNamesTellTheCall) {
  ImportedTable table = imported(kJsonl), like = imported(TraceBuilder().without_shapes().steps(2).text());
  table.kernels[1].gemm.m = 64;
  supply_shapes(table, like);
  EXPECT_CONTAINS(table.warnings.at(0), "; for 1 kernel, the call is inferred from name and grid");
}

TEST(SupplyShapes, OfSeveralMatchesTheNearestInTimeSupplies) {
  ImportedTable like = imported(TraceBuilder().steps(2).text());
  like.kernels.push_back(like.kernels[0]);
  like.kernels[2].launched_by.name = "aten::mm";
  like.kernels[2].times->total_ns *= 3;
  like.kernels[2].launches += 1;
  ImportedTable table = imported(kJsonl);
  supply_shapes(table, like);
  EXPECT_EQ(table.kernels[0].launched_by.name, "aten::mm") << "the most launched, where there are no times";
  EXPECT_CONTAINS(table.warnings[0], "1 matches kernels of several shapes");
  table.kernels[0].launched_by = {};
  table.kernels[0].times = RecordedTimes{like.kernels[0].times->total_ns * 11 / 10, {}, {}};
  table.kernels[0].launches = like.kernels[0].launches;
  supply_shapes(table, like);
  EXPECT_EQ(table.kernels[0].launched_by.name, "aten::addmm");
}

TEST(SupplyShapes, OnTheCpuGoByTheSignatureWhereItIsKnown) {
  ImportedKernel linear;
  linear.name = "aten::linear";
  linear.launches = 1;
  ImportedTable like, table;
  for (const char* signature : {"aten::linear Float[1,16,512]", "aten::linear Float[1,16,128]"}) {
    linear.recorded_signature = signature;
    linear.launched_by = {};
    table.kernels.push_back(linear);
    linear.launched_by.name = "aten::linear";
    linear.launched_by.arguments = nlohmann::json::array({signature});
    like.kernels.insert(like.kernels.begin(), linear);
  }
  table.kernels.push_back(table.kernels[0]);
  table.kernels[2].recorded_signature = "aten::linear Float[9]";
  supply_shapes(table, like);
  for (size_t k = 0; k < 2; ++k)
    EXPECT_EQ(table.kernels[k].launched_by.arguments[0], table.kernels[k].recorded_signature);
  EXPECT_FALSE(table.kernels[2].launched_by.has_shapes());
  EXPECT_CONTAINS(table.warnings.at(0), "for 2 of them, ");
}

}  // namespace
}  // namespace kjoule
