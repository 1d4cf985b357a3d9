#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/files/csv_rows.hpp"
#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"
#include "report/console.hpp"
#include "report/json_reports.hpp"

namespace kjoule {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

KernelResult kernel(const std::string& name, Interval in_context_s) {
  KernelResult result;
  result.name = name;
  result.signature = name + " 4";
  result.count = 2;
  result.in_context_s = in_context_s;
  result.energy.emplace();
  result.energy->joules = {1e-3 * in_context_s.value, 1e-6};
  result.energy->seconds = in_context_s.value;
  return result;
}

/// Three kernels: one with a time and an interval, one whose interval is not known, one whose time is 0.
Comparison made_up() {
  Comparison c;
  c.run = {{"title", "made up"}};
  c.program_iterations.run_s = {140e-6, 160e-6};
  c.times.whole_s = {100e-6, 1e-6};
  c.undisturbed_s = 100e-6;
  c.times.sum_s = {100.1e-6, 0.2e-6};
  c.stopped.precision = 0.0025;
  c.judgement = {Verdict::adds_up, "they agree", 0.003};
  c.findings = {"something is in doubt"};
  c.stopped.by = "precision";
  c.kernels = {kernel("gemm", {90e-6, 1e-6}), kernel("soft", {10.1e-6, kInfinite}),
               kernel("none", {0, 0.2e-6})};
  EnergyResult& energy = c.energy.emplace();
  energy.estimate.whole_j = energy.estimate.sum_j = {0.1, 0.001};
  energy.estimate.whole_w = energy.estimate.sum_w = {1000, 10};
  energy.meters = {{{{"source", "made up"}}, Interval{0.1, 0.001}}};
  return c;
}

nlohmann::json read_back(const Comparison& c) {
  const TemporaryFolder folder;
  write_json(folder / "comparison_report.json", comparison_report(c, 9));
  return read_json(folder / "comparison_report.json");
}

TEST(ComparisonReport, NamesThePartOfTheRun) {
  Comparison c = made_up();
  EXPECT_TRUE(read_back(c).at("part").is_null());
  EXPECT_EQ(comparison_text(c, 9).find("iteration: launches"), std::string::npos);
  c.part = PartFacts{.is_loop = true,
                     .first = 20,
                     .end = 31,
                     .iterations = 12,
                     .run_share = 0.9,
                     .measured_ns = 110'000,
                     .part_ns = 1'320'000,
                     .spread = IterationSpread{10, 995, 1000, 1005}};
  const nlohmann::json part = read_back(c).at("part");
  EXPECT_EQ(part.at("kind"), "loop");
  EXPECT_EQ(part.at("launches"), 11);
  EXPECT_NEAR(part.at("part_us").get<double>(), 1200, 1e-6);
  EXPECT_NE(comparison_text(c, 9).find(
                "  iteration: launches 20..31 (one of 12 iterations of a loop with 90 % of the\n"
                "             GPU time); all iterations together take 1200.0 us (scaled by the\n"
                "             profiler's times)\n"),
            std::string::npos);
}

TEST(ComparisonReport, HasNoGpuTimesOfAWindow) {
  Comparison c = made_up();
  c.part = PartFacts{.first = 20, .end = 31};
  const nlohmann::json part = read_back(c).at("part");
  EXPECT_EQ(part.at("kind"), "window");
  for (const char* key : {"run_share_percent", "measured_busy_us", "part_busy_us", "part_us"})
    EXPECT_TRUE(part.at(key).is_null()) << key;
  EXPECT_TRUE(read_back(c).at("top_kernels").at(0).at("share_of_run_percent").is_null());
  EXPECT_NE(comparison_text(c, 9).find("iteration: launches 20..31 (a window of the run)"),
            std::string::npos);
}

TEST(ComparisonReport, HasNullForWhatIsNoFiniteNumber) {
  const nlohmann::json kernels = read_back(made_up()).at("top_kernels");
  EXPECT_TRUE(kernels.at(1).at("half_width_us").is_null());
  EXPECT_EQ(kernels.at(1).at("total_interval_us"), nlohmann::json({nullptr, nullptr}));
  EXPECT_DOUBLE_EQ(kernels.at(1).at("total_us").get<double>(), 10.1);
  EXPECT_EQ(kernels.at(2).at("total_us"), 0);
  EXPECT_TRUE(kernels.at(2).at("energy").at("watts").is_null()) << "no time, no power";
  EXPECT_DOUBLE_EQ(kernels.at(0).at("energy").at("watts").get<double>(), 1e-3);
  auto report = comparison_report(made_up(), 9);
  report.erase("full_model_inference_us");  // its name contains "inf"
  EXPECT_EQ(report.dump().find("inf"), std::string::npos);
}

TEST(ComparisonReport, HasTheErrorOfThePublishedReportIfAnIterationWasTimed) {
  Comparison c = made_up();
  const nlohmann::json report = read_back(c);
  const double predicted = report.at("predicted_from_kernels_us"),
               actual = report.at("full_model_inference_us");
  EXPECT_EQ(predicted, report.at("sum_us"));
  EXPECT_NEAR(actual, 150, 1e-9);
  EXPECT_NEAR(report.at("error_percent").get<double>(), 100 * std::abs(predicted - actual) / actual, 1e-9);
  c.program_iterations = {};
  const nlohmann::json untimed = read_back(c);
  EXPECT_TRUE(untimed.at("full_model_inference_us").is_null());
  EXPECT_TRUE(untimed.at("error_percent").is_null());
}

TEST(ComparisonReport, NamesItsThreeTimesAndWhichAreCompared) {
  const nlohmann::json report = read_back(made_up());
  EXPECT_EQ(report.at("schema"), 4);
  std::map<std::string, double> times;
  for (const auto& one : report.at("quantities")) {
    times[one.at("name")] = one.at("us");
    EXPECT_EQ(report.at(one.at("name").get<std::string>()), one.at("us"));
    EXPECT_NE(one.at("meaning"), "");
  }
  EXPECT_EQ(times.size(), 3);
  EXPECT_NEAR(times.at("program_iteration_us"), 150, 1e-9);
  EXPECT_NEAR(times.at("whole_us"), 100, 1e-9);
  EXPECT_NEAR(times.at("sum_us"), 100.1, 1e-9);
  EXPECT_EQ(report.at("compared"), nlohmann::json({"sum_us", "whole_us"}));
  EXPECT_NEAR(report.at("sum_error_us").get<double>(), 0.1, 1e-9);
  EXPECT_NEAR(report.at("sum_error_percent").get<double>(), 0.1, 1e-9);
  EXPECT_NEAR(report.at("sum_half_width_percent").get<double>(), 0.2, 1e-9);
  EXPECT_EQ(report.at("verdict"), "adds up");
  EXPECT_EQ(report.at("verdict_reason"), "they agree");
  EXPECT_EQ(report.at("findings"), nlohmann::json({"something is in doubt"}));
}

TEST(ComparisonReport, HasNoOwnIterationWhereNoneWasTimed) {
  Comparison c = made_up();
  c.program_iterations.run_s.clear();
  EXPECT_TRUE(read_back(c).at("program_iteration_us").is_null());
  EXPECT_EQ(comparison_text(c, 9).find("own iteration"), std::string::npos);
}

TEST(ComparisonText, BeginsWithTheThreeTimesInOrder) {
  const std::string text = comparison_text(made_up(), 9);
  const size_t own = text.find("program's own iteration"), whole = text.find("whole: replayed, no gaps"),
               sum = text.find("sum of its kernels");
  EXPECT_LT(own, whole);
  EXPECT_LT(whole, sum);
  EXPECT_LT(sum, text.find("adds up: they agree"));
  EXPECT_NE(text.find("- finding: something is in doubt"), std::string::npos) << text;
}

TEST(ComparisonText, ShowsAnUpperLimitForAKernelThatMayTakeNothing) {
  const std::string text = comparison_text(made_up(), 9);
  EXPECT_NE(text.find("< 0.10  0.10 us"), std::string::npos) << text;
  EXPECT_EQ(text.find("inf"), std::string::npos) << text;
  EXPECT_EQ(text.find("nan"), std::string::npos) << text;
}

TEST(KernelsCsv, HasEmptyCellsForWhatIsNoFiniteNumber) {
  const std::string text = kernels_csv(made_up().kernels);
  CsvRows rows(text, "report");
  std::vector<std::string> header, cells;
  ASSERT_TRUE(rows.next(header));
  const auto cell = [&](const std::string& column) {
    return cells.at(static_cast<size_t>(std::find(header.begin(), header.end(), column) - header.begin()));
  };
  ASSERT_TRUE(rows.next(cells));
  EXPECT_NE(cell("average_watts"), "");
  ASSERT_TRUE(rows.next(cells));
  EXPECT_EQ(cell("half_width_us"), "");
  ASSERT_TRUE(rows.next(cells));
  EXPECT_EQ(cell("total_us"), "0");
  EXPECT_EQ(cell("average_watts"), "");
}

}  // namespace
}  // namespace kjoule
