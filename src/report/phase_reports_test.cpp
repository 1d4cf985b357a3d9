#include "report/phase_reports.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <limits>

#include "base/files/files.hpp"
#include "compare/run/stored_run.hpp"
#include "report/documented_columns.hpp"

namespace kjoule {
namespace {

LeftPhase pass(uint64_t first, int64_t ns, const std::string& why) {
  PartFacts facts;
  facts.first = first;
  facts.end = first + 10;
  facts.part_ns = ns;
  return {facts, why};
}

TEST(PhaseReports, NamePhasesThatAreLeftForTheSameReasonInOneLine) {
  RunComparison run;
  for (uint64_t i = 0; i < 300; ++i) run.left.push_back(pass(20 * i, 1'000, "it is short"));
  run.left.push_back(pass(9000, 2'000'000, "it is long"));
  LeftPhase loop = pass(9500, 1'000, "it is short");
  loop.facts.is_loop = true;
  run.left.push_back(loop);
  const std::string text = run_comparison_text(run);
  const size_t longest = text.find(
      "not replayed: single pass at launches 9000..9010 (2.000 ms by the profiler);\n  reason: it is long");
  ASSERT_NE(longest, std::string::npos) << text;
  const size_t others = text.find(
      "not replayed: 1 loop and 300 single passes (0.301 ms by the profiler); reason:\n  it is short");
  ASSERT_NE(others, std::string::npos) << text;
  EXPECT_LT(longest, others);
  EXPECT_EQ(run_comparison_json(run).at("not_replayed").size(), 302U);
}

/// Returns a run with all facts that its report has: phases, a window, energies, further starts, an estimate.
RunComparison full_run() {
  MeasuredPhase loop, window;
  loop.number = 1;
  loop.folder = "phase_1";
  loop.facts = pass(5, 706'123, "").facts;
  loop.facts.is_loop = true;
  loop.facts.iterations = 20;
  loop.facts.run_share = 0.5933;
  loop.whole_s = {3.5e-5, 0};
  loop.sum_s = {3.51e-5, 1e-8};
  loop.energy = PhaseEnergy{{0.25, 0}, {0.251, 0.002}};
  window.number = 1001;
  window.folder = "window_1001";
  window.facts.first = 100;
  window.facts.end = 140;
  window.whole_s = {1e-4, 0};
  window.sum_s = {1.01e-4, 1e-7};
  RunComparison run = compare_run({loop, window}, {pass(0, 19'000, "it is short")},
                                  FurtherStarts{2, 0.75, 3, {"it ended"}}, 0.98);
  RunEstimate estimate;
  estimate.windows = 2;
  estimate.total_s = {2e-3, 1e-5};
  estimate.profiled_s = 2.1e-3;
  estimate.scaled_share = 0.01;
  KernelEstimate copy;
  copy.observed.kernel.name = "memcpy HtoD";
  copy.observed.kernel.bytes = 16384;
  copy.observed.launches = 36;
  copy.observed.profiled_s = 1e-3;
  copy.replayed_s = {1.1e-3, std::numeric_limits<double>::infinity()};
  estimate.kernels = {copy};
  estimate.mean_iteration = LoopMean{20, {3.6e-5, 1e-7}, 3e-5, 4e-5};
  estimate.left_out = LeftOutWindows{3, -0.01, 0.02, 2};
  run.estimate = estimate;
  return run;
}

TEST(PhaseReports, AreTheSameOfARunThatIsReadFromItsReport) {
  const RunComparison run = full_run();
  const nlohmann::json report{{"title", "program"},
                              {"gpu", {{"busy_ms", 1.189}, {"span_ms", 5.077}}},
                              {"kernels", {{{"grid", {1, 1, 1}}}}},
                              {"replayed", run_comparison_json(run)}};
  const auto file =
      std::filesystem::temp_directory_path() / fmt::format("kjoule_stored_run_{}.json", getpid());
  write_json(file, report);
  const auto stored = read_stored_run(file);
  std::filesystem::remove(file);
  ASSERT_TRUE(stored);
  EXPECT_DOUBLE_EQ(stored->busy_s, 1.189e-3);
  EXPECT_EQ(run_comparison_text(stored->replayed), run_comparison_text(run));
  const auto cells = [](const RunComparison& one) {
    const ShownColumns columns(measured_phase_columns(), Place::details, one.measured, ColumnGaps{});
    return columns.heads() + columns.cells(one.measured[0]) + columns.cells(one.measured[1]);
  };
  EXPECT_EQ(cells(stored->replayed), cells(run));
}

TEST(PhaseReports, HaveTheFieldsOfTheSchema) {
  const auto properties = Reference(__FILE__).properties("run_report", "/$defs/phase");
  expect_all_fields(measured_phase_columns(), properties);
  expect_descriptions(without_head(measured_phase_columns()), properties);
}

}  // namespace
}  // namespace kjoule
