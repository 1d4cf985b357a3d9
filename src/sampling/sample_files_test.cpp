#include "sampling/sample_files.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"
#include "sampling/device_roofs.hpp"
#include "sampling/merge.hpp"
#include "sampling/sample_name.hpp"
#include "sampling/sampling_log.hpp"

namespace kjoule {
namespace {

const std::vector<std::string> kShape{"b", "l"}, kTimes{"F_dur(us)", "B_dur(us)"};

SampleRow row(size_t sample, SampleShape shape, double forward_us = 2) {
  SampleRow row{sample, std::move(shape), {.status = SampleStatus::measured}};
  row.answer.directions["forward"] = {{forward_us, 3 * forward_us, forward_us}, 10.0, {}};
  row.answer.directions["backward"] = {{5}, {}, 64.0};
  return row;
}

/// Returns a measured row with the times and energies of its replay.
SampleRow replayed_row(size_t sample, SampleShape shape, double forward_j, std::optional<double> backward_j) {
  SampleRow replayed = row(sample, std::move(shape));
  ReplayedDirection forward{.kernels = {{"mm", 2}}, .graph_us = 1.5, .graph_half_width_us = 0.25};
  forward.energy_j = forward_j;
  forward.watts = 300;
  forward.clock_mhz = 1980;
  forward.flags = {"too short"};
  replayed.answer.directions["forward"].replay = forward;
  ReplayedDirection backward{.graph_us = 3.5};
  backward.energy_j = backward_j;
  if (!backward_j) backward.energy_missing = "no meter";
  replayed.answer.directions["backward"].replay = backward;
  return replayed;
}

std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.line();
  }
  return "none";
}

TEST(IsPrecise, OfSixPassesOnWhoseMedianIsKnownToAPercent) {
  EXPECT_FALSE(is_precise({100, 100, 100, 100, 100}));
  EXPECT_TRUE(is_precise({100, 101, 100, 99.5, 100, 100.5}));
  EXPECT_FALSE(is_precise({100, 103, 100, 99.5, 100, 100.5}));
  EXPECT_TRUE(is_precise({100, 103, 100, 99.5, 100, 100.5, 100, 100, 99.8})) << "one may lie outside";
}

TEST(IsPrecise, OfThreeLongPassesOnWhoseMeanIsKnownToAPercent) {
  EXPECT_TRUE(is_precise({5000, 5010, 4990}));
  EXPECT_FALSE(is_precise({5000, 5100, 4990}));
  EXPECT_TRUE(is_precise({5000, 5060, 4990, 5010, 5020}));
  EXPECT_FALSE(is_precise({5000, 5010}));
  EXPECT_FALSE(is_precise({500, 501, 499})) << "more of them cost nothing";
}

TEST(MedianOfPasses, OfFewHasStudentsInterval) {
  const MedianOfPasses found = median_of_passes({103, 100, 101});
  EXPECT_DOUBLE_EQ(found.value, 101);
  EXPECT_NEAR(found.high - found.value, 4.302653 * 1.527525 / std::sqrt(3), 1e-5);
  EXPECT_NEAR(found.value - found.low, found.high - found.value, 1e-9);
  EXPECT_EQ(median_of_passes({7}).high, 7);
}

TEST(SampleFiles, GrowByARowAndContinue) {
  const TemporaryFolder folder;
  {
    SampleFiles files(folder.path(), "g_gelu_fp16_1_1", kShape, kTimes);
    files.begin_run({{"gpu", "g"}});
    files.add(row(1, {1, 8}));
    SampleRow bad{2, {1, 16}, {.status = SampleStatus::invalid, .why = "odd"}};
    files.add(bad);
    EXPECT_THROW(SampleFiles(folder.path(), "g_gelu_fp16_1_1", kShape, kTimes), Error) << "locked";
  }
  EXPECT_EQ(read_text(folder / "g_gelu_fp16_1_1.csv"), "b,l,F_dur(us),B_dur(us)\n1,8,2.000,5.000\n");
  const SampleFiles again(folder.path(), "g_gelu_fp16_1_1", kShape, kTimes);
  EXPECT_TRUE(again.contains({1, 8}));
  EXPECT_TRUE(again.contains({1, 16})) << "what cannot be measured is not tried again";
  EXPECT_FALSE(again.contains({2, 8}));
}

TEST(SampleFiles, MendWhatAKilledRunLeft) {
  const TemporaryFolder folder;
  {
    SampleFiles files(folder.path(), "n", kShape, kTimes);
    files.begin_run({{"samples", 3}});
    files.add(row(1, {1, 8}));
  }
  const std::string whole = read_text(folder / "n.jsonl");
  // The JSONL contains a second row, which is incomplete in the CSV, and half of a third row.
  std::string second = whole.substr(whole.find('\n') + 1);
  second.replace(second.find("\"l\":8"), 5, "\"l\":9");
  write_atomic(folder / "n.jsonl", whole + second + second.substr(0, 30));
  write_atomic(folder / "n.csv", read_text(folder / "n.csv") + "1,9,2.0");
  const SampleFiles files(folder.path(), "n", kShape, kTimes);
  EXPECT_TRUE(files.contains({1, 9}));
  EXPECT_EQ(read_text(folder / "n.csv"), "b,l,F_dur(us),B_dur(us)\n1,8,2.000,5.000\n1,9,2.000,5.000\n");
  EXPECT_EQ(read_text(folder / "n.jsonl"), whole + second);
}

TEST(SampleFiles, AreTakenOverFromAProcessThatStillWrites) {
  const TemporaryFolder folder;
  SampleFiles lost(folder.path(), "n", kShape, kTimes);
  lost.begin_run({{"samples", 3}});
  lost.add(row(1, {1, 8}));
  SampleFiles files(folder.path(), "n", kShape, kTimes, Ownership::take_over);
  EXPECT_TRUE(files.contains({1, 8}));
  EXPECT_THROW(lost.add(row(2, {1, 16})), Error);
  files.add(row(2, {1, 16}, 4));
  SampleFiles again(folder.path(), "n", kShape, kTimes, Ownership::take_over);
  EXPECT_THROW(files.add(row(3, {2, 8})), Error);
  again.add(row(3, {2, 8}));
  EXPECT_EQ(read_text(folder / "n.csv"),
            "b,l,F_dur(us),B_dur(us)\n1,8,2.000,5.000\n1,16,4.000,5.000\n2,8,2.000,5.000\n");
  size_t rows = 0;
  EXPECT_EQ(read_sample_rows(folder / "n.jsonl", kShape, [&](const SampleRow&) { ++rows; }).samples, 0u);
  EXPECT_EQ(rows, 3u);
}

TEST(SampleFiles, KeepAForeignFileAsItIs) {
  const TemporaryFolder folder;
  const std::string foreign = "{\"x\": 1}\nnotes";
  write_atomic(folder / "n.jsonl", foreign);
  EXPECT_THROW(SampleFiles(folder.path(), "n", kShape, kTimes), Error);
  EXPECT_EQ(read_text(folder / "n.jsonl"), foreign);
}

TEST(SampleFiles, ALaterRowStandsForAnEarlierOne) {
  const TemporaryFolder folder;
  {
    SampleFiles files(folder.path(), "n", kShape, kTimes);
    files.add(row(1, {1, 8}));
    files.add(replayed_row(1, {1, 8}, 0.5, 0.75));
  }
  const SampleFiles files(folder.path(), "n", kShape, kTimes);
  ASSERT_NE(files.row({1, 8}), nullptr);
  EXPECT_EQ(files.row({1, 8})->answer.directions.at("forward").replay->energy_j, 0.5);
  EXPECT_EQ(files.row({2, 8}), nullptr);
  EXPECT_EQ(read_text(folder / "n.csv"), "b,l,F_dur(us),B_dur(us)\n1,8,2.000,5.000\n");
}

TEST(SampleFiles, NeverChangeFilesOfOthers) {
  for (const std::string name : {"n.csv", "n.jsonl"})
    for (const std::string text : {"notes without a line end", "b,dim\n1,2\n3", "notes\n{"}) {
      const TemporaryFolder folder;
      write_atomic(folder / name, text);
      EXPECT_THROW(SampleFiles(folder.path(), "n", kShape, kTimes), Error) << name << ": " << text;
      EXPECT_EQ(read_text(folder / name), text);
    }
}

TEST(SampleFiles, RefuseWhatIsNotTheirs) {
  const TemporaryFolder folder;
  write_atomic(folder / "n.csv", "b,dim,F_dur(us),B_dur(us)\n");
  EXPECT_NE(
      error_of([&] { SampleFiles(folder.path(), "n", kShape, kTimes); }).find("n.csv:1: has columns b,dim"),
      std::string::npos);
  write_atomic(folder / "m.jsonl", "{}\n{\"run\":{}}\n");
  EXPECT_NE(error_of([&] {
              SampleFiles(folder.path(), "m", kShape, kTimes);
            }).find("m.jsonl:1: this line is not a sample"),
            std::string::npos);
  write_atomic(folder / "o.csv", "b,l,F_dur(us),B_dur(us)\n1.0,x,2,3\n");
  EXPECT_NE(
      error_of([&] { SampleFiles(folder.path(), "o", kShape, kTimes); }).find("o.csv:2: x is not a size"),
      std::string::npos);
}

TEST(SampleFiles, AreOfOneDefinition) {
  const TemporaryFolder folder;
  const nlohmann::json ten{{"operator", "gelu"}, {"active", 10}}, six{{"operator", "gelu"}, {"active", 6}};
  const auto error = [&] {
    return error_of([&] { SampleFiles(folder.path(), "n", kShape, kTimes).check_definition(six, "f.yml"); });
  };
  {
    SampleFiles files(folder.path(), "n", kShape, kTimes);
    files.begin_run({{"definition", ten}, {"samples", 2}});
    files.begin_run({{"meters", nullptr}});
    files.add({1, {1, 8}, {.status = SampleStatus::error, .why = "odd"}});
  }
  EXPECT_EQ(error(), "none") << "errors only";
  SampleFiles(folder.path(), "n", kShape, kTimes).add(row(1, {1, 8}));
  EXPECT_NE(
      error().find("n.jsonl: was sampled with other settings than f.yml: active is 10, but should be 6"),
      std::string::npos)
      << error();
  SampleFiles(folder.path(), "n", kShape, kTimes).check_definition(ten, "f.yml");
  SampleFiles old(folder.path(), "o", kShape, kTimes);
  old.begin_run({{"gpu", "g"}});
  old.add(row(1, {1, 8}));
  old.check_definition(six, "f.yml");
}

TEST(SampleFiles, TheDescriptionOfARunMayNameAnyPath) {
  const TemporaryFolder folder;
  SampleFiles files(folder.path(), "n", kShape, kTimes);
  files.begin_run({{"meters", "p\xff.csv"}});
  EXPECT_EQ(read_text(folder / "n.jsonl"), "{\"run\":{\"meters\":\"p\xef\xbf\xbd.csv\"}}\n");
}

TEST(SampleFiles, RowsWithoutTheirDescriptionAreRefused) {
  const TemporaryFolder folder;
  SampleFiles(folder.path(), "n", kShape, kTimes).add(row(1, {1, 8}));
  std::filesystem::remove(folder / "n.jsonl");
  const auto error = [&] { return error_of([&] { SampleFiles(folder.path(), "n", kShape, kTimes); }); };
  EXPECT_NE(error().find("n.csv: has rows, but n.jsonl, which describes how they were measured, is empty"),
            std::string::npos)
      << error();
  EXPECT_EQ(error(), error()) << "nor when asked again";
}

TEST(SampleRow, GoesThroughItsLine) {
  SampleRow written = row(7, {2, 8});
  written.answer.peak_memory_bytes = 1024;
  const SampleRow read = sample_row(to_json(written, kShape), kShape);
  EXPECT_EQ(read.shape, written.shape);
  EXPECT_EQ(read.answer.directions.at("forward").passes_us, (std::vector<double>{2, 6, 2}));
  EXPECT_EQ(read.answer.directions.at("forward").flops, 10.0);
  EXPECT_FALSE(read.answer.directions.at("backward").flops.has_value());
  EXPECT_EQ(read.answer.peak_memory_bytes, 1024);
  EXPECT_FALSE(read.answer.kernels.has_value());
}

TEST(SampleRow, ContainsTheResultsOfItsReplay) {
  const SampleRow written = replayed_row(1, {2, 8}, 0.5, {});
  const auto json = to_json(written, kShape);
  EXPECT_EQ(json.at("directions").at("forward").at("graph_interval_us"), (std::vector<double>{1.25, 1.75}));
  EXPECT_TRUE(json.at("directions").at("backward").at("energy_j").is_null()) << "never 0";
  EXPECT_EQ(to_json(sample_row(json, kShape), kShape), json);
  EXPECT_FALSE(to_json(row(1, {2, 8}), kShape).at("directions").at("forward").contains("energy_j"))
      << "was not requested";
}

TEST(SampleRow, ItsNumbersAreWhole) {
  const auto written = to_json(row(1, {2, 8}), kShape);
  const auto error = [&](const char* place, const nlohmann::json& value) {
    nlohmann::json changed = written;
    changed[nlohmann::json::json_pointer(place)] = value;
    return error_of([&] { sample_row(changed, kShape); });
  };
  const std::string size = "/shape/" + kShape.back();
  for (const nlohmann::json& value : {nlohmann::json(5.5e103), nlohmann::json(8.5),
                                      nlohmann::json(UINT64_MAX), nlohmann::json("8"), nlohmann::json()})
    EXPECT_EQ(error(size.c_str(), value),
              "\"" + kShape.back() + "\" is not a whole number in the allowed range");
  EXPECT_EQ(error("/sample", -1), "\"sample\" is not a whole number in the allowed range");
}

TEST(SampleRow, MedianLiesBetweenOrderStatistics) {
  const MedianOfPasses ten = median_of_passes({9, 1, 8, 2, 7, 3, 6, 4, 5, 100});
  EXPECT_EQ(ten.value, 5.5);
  EXPECT_EQ(ten.low, 2) << "the second of ten: 97.9 %";
  EXPECT_EQ(ten.high, 9);
  EXPECT_THROW(median_of_passes({}), Error);
}

TEST(Roof, MarksWhatNoDeviceCanDo) {
  const DeviceRoofs roof =
      read_device_roofs({{"flops_per_s", {{"fp16", 1e12}}}, {"bytes_per_s", 1e9}, {"cache_bytes", 1e3}}, "r");
  SampleAnswer answer{.status = SampleStatus::measured};
  answer.directions["forward"] = {
      {10}, 1e7, 1e4};  // at most 1e7 FLOP in 10 us, and 1e4 bytes in addition to the cache size
  EXPECT_TRUE(find_exceeded_roofs(roof, "fp16", answer).empty());
  answer.directions["forward"] = {{10}, 1.1e7, {}};
  EXPECT_EQ(find_exceeded_roofs(roof, "fp16", answer).size(), 1u);
  EXPECT_TRUE(find_exceeded_roofs(roof, "fp32", answer).empty()) << "no roof is known";
  answer.directions["forward"] = {{10}, {}, 1.2e4};
  EXPECT_NE(find_exceeded_roofs(roof, "fp16", answer).front().find("forward: 1.2e+04 bytes in 10 us"),
            std::string::npos);
  EXPECT_THROW(read_device_roofs({{"flops_per_s", {{"fp16", 0}}}}, "r"), Error);
}

TEST(Roof, IsKnownForGpusWithDataSheets) {
  EXPECT_EQ(find_device_roofs("NVIDIA H200")->bytes_per_s, 4.8e12);
  EXPECT_FALSE(find_device_roofs("abacus").has_value());
}

TEST(SampleName, IsReadBack) {
  EXPECT_EQ(gpu_file_name("NVIDIA A100-SXM4-80GB"), "NVIDIAA100-SXM4-80GB");
  EXPECT_EQ(gpu_file_name("x(R) y_z @ 2.1GHz"), "x-R-y-z-2.1GHz");
  const auto name = parse_sample_name("NVIDIAA100-SXM4-80GB_parallel_cross_entropy_128_fp16_4_2");
  ASSERT_TRUE(name.has_value());
  EXPECT_EQ(name->operator_name, "parallel_cross_entropy_128");
  EXPECT_EQ(name->parts, 4u);
  EXPECT_EQ(name->text(), "NVIDIAA100-SXM4-80GB_parallel_cross_entropy_128_fp16_4_2");
  EXPECT_FALSE(parse_sample_name("A100_gelu_fp16_4_5").has_value());
  EXPECT_FALSE(parse_sample_name("A100_gelu_fp16").has_value());
}

TEST(SamplingLog, HasTheGuidesLine) {
  EXPECT_EQ(
      sampling_log_line("2024-01-15 10:30:45", "flash_atten_fp16", 100, 1000, 123, 100),
      "[2024-01-15 10:30:45]Kernel: flash_atten_fp16 | Progress: 100/1000=10.00% | Speed: 1.23s/sample | "
      "Remaining: 0d0h18m27s");
  const TemporaryFolder folder;
  VirtualClock clock;
  SamplingLog log(folder / "log/a.txt", "gelu_fp16", 7, 0, clock);
  for (int i = 0; i < 7; ++i) {
    clock.advance_ns(2'000'000'000);
    log.count_sample();
  }
  log.finish();
  const std::string text = read_text(folder / "log/a.txt");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << "at five, and at the end";
  EXPECT_NE(text.find("5/7=71.43% | Speed: 2.00s/sample | Remaining: 0d0h0m4s"), std::string::npos);
}

TEST(Merge, JoinsSortsAndReportsWhatIsMissing) {
  const TemporaryFolder folder;
  write_atomic(folder / "g_gelu_fp16_3_1.csv", "b,l,F_dur(us),B_dur(us)\n16,8,1,2\n2.0,8.0,3,4\n");
  write_atomic(folder / "g_gelu_fp16_3_2.csv", "b,l,F_dur(us),B_dur(us)\n2,4,5,6\n2,8,7,8\n");
  const MergedSamples merged =
      merge_samples({folder / "g_gelu_fp16_3_1.csv", folder / "g_gelu_fp16_3_2.csv"});
  EXPECT_EQ(merged.csv, "b,l,F_dur(us),B_dur(us)\n2,4,5,6\n2.0,8.0,3,4\n16,8,1,2\n");
  EXPECT_EQ(merged.rows, 3u);
  EXPECT_EQ(merged.duplicates, 1u);
  EXPECT_EQ(merged.missing_parts, std::vector<size_t>{3});
}

TEST(Merge, APartIsUnfinishedUntilItsLargestSweepIsDone) {
  const TemporaryFolder folder;
  {
    SampleFiles files(folder.path(), "g_gelu_fp16_1_1", kShape, kTimes);
    for (const int samples : {9, 1})
      files.begin_run({{"definition", {{"active", 10}}}, {"samples", samples}});
    files.add(row(1, {1, 8}));
  }
  EXPECT_EQ(merge_samples({folder / "g_gelu_fp16_1_1.csv"}).unfinished,
            std::vector<std::string>{(folder / "g_gelu_fp16_1_1.jsonl").string() + ": 1 of 9 samples"});
}

TEST(Merge, AddsEnergiesWhereThereAreAny) {
  const TemporaryFolder folder;
  {
    SampleFiles files(folder.path(), "g_gelu_fp16_1_1", kShape, kTimes);
    files.add(replayed_row(1, {1, 8}, 0.25, {}));
    files.add(replayed_row(2, {1, 16}, 0.25, 0.75));
    files.add(row(3, {2, 8}));
  }
  const std::filesystem::path csv = folder / "g_gelu_fp16_1_1.csv";
  EXPECT_EQ(merge_samples({csv}).csv,
            "b,l,F_dur(us),B_dur(us),F_energy(J),B_energy(J)\n"
            "1,8,2.000,5.000,0.25,\n1,16,2.000,5.000,0.25,0.75\n2,8,2.000,5.000,,\n");
  const MergedSamples graphs = merge_samples({csv}, SampleTimes::graph);
  EXPECT_EQ(
      graphs.csv,
      "b,l,F_dur(us),B_dur(us),F_energy(J),B_energy(J)\n1,8,1.500,3.500,0.25,\n1,16,1.500,3.500,0.25,0.75\n");
  EXPECT_EQ(graphs.without_graph, 1u);
  std::filesystem::remove(folder / "g_gelu_fp16_1_1.jsonl");
  EXPECT_EQ(merge_samples({csv}).csv.substr(0, 24), "b,l,F_dur(us),B_dur(us)\n");
  write_atomic(folder / "g_gelu_fp16_1_1.jsonl", "{\"run\":{}}\n");
  EXPECT_NE(error_of([&] {
              merge_samples({csv});
            }).find("1_1.csv:2: g_gelu_fp16_1_1.jsonl does not contain this row"),
            std::string::npos);
  write_atomic(folder / "g_gelu_fp16_1_1.jsonl", "{}\n");
  EXPECT_NE(error_of([&] {
              merge_samples({csv});
            }).find("1_1.jsonl:1: this line is not a sample that kjoule wrote"),
            std::string::npos);
}

TEST(Merge, CountsShapesOfWhichAllSamplesFailed) {
  const TemporaryFolder folder;
  const SampleAnswer failed{.status = SampleStatus::error, .why = "odd"};
  {
    SampleFiles files(folder.path(), "g_gelu_fp16_1_1", kShape, kTimes);
    files.add(row(1, {1, 8}));
    for (const size_t sample : {2U, 2U, 3U})
      files.add({sample, {1, static_cast<int64_t>(8 * sample)}, failed});
    files.add({1, {1, 8}, failed});  // a repeated measurement; the first one has a row
    files.add({3, {1, 24}, {.status = SampleStatus::too_large}});
  }
  const MergedSamples merged = merge_samples({folder / "g_gelu_fp16_1_1.csv"});
  EXPECT_EQ(merged.rows, 1u);
  EXPECT_EQ(merged.failed, 1u);
}

TEST(Merge, EnergiesAreAboveZero) {
  const TemporaryFolder folder;
  const std::filesystem::path csv = folder / "g_gelu_fp16_1_1.csv";
  SampleFiles(folder.path(), "g_gelu_fp16_1_1", kShape, kTimes).add(replayed_row(1, {1, 8}, -0.25, 0.0));
  EXPECT_EQ(merge_samples({csv}).csv, "b,l,F_dur(us),B_dur(us)\n1,8,2.000,5.000\n");
  SampleFiles(folder.path(), "g_gelu_fp16_1_1", kShape, kTimes).add(replayed_row(2, {1, 16}, -0.25, 0.75));
  const MergedSamples merged = merge_samples({csv});
  EXPECT_EQ(merged.csv,
            "b,l,F_dur(us),B_dur(us),F_energy(J),B_energy(J)\n1,8,2.000,5.000,,\n1,16,2.000,5.000,,0.75\n");
  EXPECT_EQ(merged.impossible_energies, 3u);
}

TEST(Merge, RefusesWhatIsNoPart) {
  const TemporaryFolder folder;
  const auto merged_error = [&](const char* name, const char* text) {
    write_atomic(folder / name, text);
    return error_of([&] { merge_samples({folder / name}); });
  };
  EXPECT_NE(merged_error("a.csv", "x").find("this is not the name of a part of a sweep"), std::string::npos);
  EXPECT_NE(merged_error("g_gelu_fp16_1_1.csv", "").find("empty"), std::string::npos);
  EXPECT_NE(merged_error("g_gelu_fp16_1_1.csv", "a,b\n").find("the columns are not sizes followed by times"),
            std::string::npos);
  EXPECT_NE(merged_error("g_gelu_fp16_1_1.csv", "a,dur(us)\n1,nan\n").find(":2: nan is not a number"),
            std::string::npos);
  EXPECT_NE(merged_error("g_gelu_fp16_1_1.csv", "a,dur(us)\n1,0\n")
                .find(":2: dur(us) is 0, which is not a time from 0.001 to 1e14 us"),
            std::string::npos);
  EXPECT_NE(merged_error("g_gelu_fp16_1_1.csv", "a,dur(us)\n1,\n").find("an empty cell"), std::string::npos);
  EXPECT_NE(merged_error("g_gelu_fp16_1_1.csv", "a,dur(us)\n1\n").find("has 1 cells instead of 2"),
            std::string::npos);
  write_atomic(folder / "g_gelu_bf16_1_1.csv", "a,dur(us)\n1,2\n");
  write_atomic(folder / "g_gelu_fp16_1_1.csv", "a,dur(us)\n1,2\n");
  EXPECT_NE(error_of([&] {
              merge_samples({folder / "g_gelu_bf16_1_1.csv", folder / "g_gelu_fp16_1_1.csv"});
            }).find("another sweep"),
            std::string::npos);
}

}  // namespace
}  // namespace kjoule
