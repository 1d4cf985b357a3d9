#include "report/replay_columns.hpp"

#include <gtest/gtest.h>

#include "report/documented_columns.hpp"
#include "report/replay_reports.hpp"

namespace kjoule {
namespace {

/// A kernel that was replayed, and one that was not and has no recorded time.
ReplayedTable replayed_and_not() {
  ReplayedTable table;
  table.iterations = 2;
  ReplayedKernel& copy = table.kernels.emplace_back();
  copy.kernel.name = "Memcpy HtoD";
  copy.kernel.launches = 3;
  copy.kernel.times = RecordedTimes{6'000, {}, {}};
  copy.count = 1.5;
  copy.result = ReplayResult::same;
  copy.call = "memcpy HtoD";
  copy.replayed_on = "cuda";
  copy.each_s = 4e-6;
  copy.runs = 100;
  ReplayedKernel& fused = table.kernels.emplace_back();
  fused.kernel.name = "triton_0";
  fused.kernel.launches = 4;
  fused.count = 2;
  fused.why = "the table states no operator";
  return table;
}

TEST(ReplayColumns, AreTheFieldsOfTheSchema) {
  const auto properties = Reference(__FILE__).properties("isolated_kernels_timing", "/$defs/table_kernel");
  expect_all_fields(replayed_columns(), properties);
  expect_descriptions(replayed_columns(), properties);
}

TEST(ReplayColumns, AreTheLinesOfTheReferencePage) {
  EXPECT_EQ(Reference(__FILE__).table_in_formats("| columns of a replayed table"),
            described_in_formats(replayed_columns()));
}

TEST(ReplayColumns, HaveTheSameKeysInCsvAndJson) {
  EXPECT_EQ(keys_in(Place::csv, replayed_columns()), keys_in(Place::json, replayed_columns()));
}

TEST(ReplayColumns, HaveNoNumberForWhatWasNotMeasured) {
  const ReplayedTable table = replayed_and_not();
  const auto kernels = replay_timing(nlohmann::json::object(), table).at("kernels");
  EXPECT_DOUBLE_EQ(kernels[0].at("total_time_us").get<double>(), 6);
  EXPECT_EQ(kernels[0].at("benchmark_runs"), 100);
  for (const char* key : {"benchmark_runs", "single_time_us", "total_time_us", "recorded_time_us"})
    EXPECT_TRUE(kernels[1].at(key).is_null()) << key;
  for (const char* key : {"call", "inferred", "ran", "start_timestamp"})
    EXPECT_FALSE(kernels[1].contains(key)) << key;
  const std::string text = replay_text(table, 9);
  EXPECT_NE(text.find("       4.00         2.00      1.5          6.0  unknown  same\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("          -            -        2            -  unknown  not replayable\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace kjoule
