#include "page/run_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/printable.hpp"
#include "page/figure_texts.hpp"
#include "report/kernel_names.hpp"
#include "report/left_phases.hpp"
#include "report/phase_reports.hpp"
#include "report/run_estimate_report.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;
using LeftColumn = TableColumn<LeftForAReason>;

constexpr size_t kMostRunKernels = 1000;  ///< kernels of the run in the table; those with the most time

std::string interval_text(const Interval& value) {
  if (!std::isfinite(value.half_width)) return "interval not known";
  return fmt::format("+- {:.2f} %", 100 * value.half_width / value.value);
}

std::vector<KeyFigure> figures_of(const StoredRun& run) {
  const RunComparison& replayed = run.replayed;
  const std::string works = replayed.has_kernels ? "kernels" : "copies and memsets";
  std::vector<KeyFigure> figures{
      {"The GPU was busy for", figure_time(run.busy_s),
       fmt::format("of {}: {:.1f} %, by the profiler", figure_time(run.span_s),
                   run.span_s > 0 ? 100 * run.busy_s / run.span_s : 0)},
      {"Measured by replay", fmt::format("{:.0f} %", 100 * replayed.replayed_share),
       fmt::format("of the time of all {} of the run is that of measured {}, by the profiler", works,
                   works)}};
  if (const auto& estimate = replayed.estimate)
    figures.push_back({"Kernel x count of the run", figure_time(estimate->total_s.value),
                       fmt::format("{}, from {} window{}; {:.1f} % of it is scaled from the profiler",
                                   interval_text(estimate->total_s), estimate->windows,
                                   estimate->windows == 1 ? "" : "s", 100 * estimate->scaled_share)});
  return figures;
}

PageTable phases_table(const RunComparison& run) {
  PageTable table(
      "What was measured by replay: one iteration of each phase, or a window of launches. The profiler's GPU "
      "time of a window is not known",
      "phase");
  table.fill<MeasuredPhase>(
      measured_phase_columns(), Place::details, run.measured,
      [](const MeasuredPhase& phase) {
        return RowName{fmt::format("{}: launches {}", printable(phase.folder), launches_text(phase.facts))};
      },
      {"% of run"});
  return table;
}

/// Returns a line for each reason for which phases were not replayed.
PageTable left_table(const std::vector<LeftForAReason>& left) {
  const std::vector<LeftColumn> columns{
      LeftColumn::number(
          "GPU ms", "", "GPU time of these phases, by the profiler", "", Place::details,
          [](const LeftForAReason& one) {
            return one.part_ns() > 0 ? Json(1e-6 * static_cast<double>(one.part_ns())) : Json();
          },
          3),
      LeftColumn::number(
          "% of run", "", "GPU time as a share of that of the run, by the profiler", "", Place::details,
          [](const LeftForAReason& one) { return one.part_ns() > 0 ? Json(100 * one.run_share()) : Json(); },
          2),
      LeftColumn::on_screen("reason", "reason why they were not replayed", Place::details,
                            [](const LeftForAReason& one) { return printable(one.why); })};
  PageTable table("What was not replayed", "phases");
  table.fill<LeftForAReason>(columns, Place::details, left,
                             [](const LeftForAReason& one) { return RowName{one.text()}; }, {"% of run"});
  return table;
}

PageTable run_kernels_table(const RunEstimate& run) {
  const KernelNames names = KernelNames::of_all(run.kernels, name_with_size);
  std::vector<RunKernelRow> rows;
  for (size_t i = 0; i < std::min(kMostRunKernels, run.kernels.size()); ++i)
    rows.push_back({&run.kernels[i], &run});
  const size_t more = run.kernels.size() - rows.size();
  PageTable table("All kernels of the run" +
                      (more > 0 ? fmt::format("; {} more are in run_report.json", more) : std::string()),
                  "kernel");
  table.fill<RunKernelRow>(run_kernel_columns(), Place::first_screen, rows,
                           [&](const RunKernelRow& row) {
                             const std::string name = name_with_size(*row.kernel);
                             return RowName{names.shown(name), printable(name)};
                           },
                           {"all ms"});
  table.let_sort("all ms");
  return table;
}

}  // namespace

PageSection run_section(const StoredRun& run) {
  const RunComparison& replayed = run.replayed;
  PageSection section("run", "The run, and how much of it was measured");
  section.add_verdict("Time " + verdict_text(replayed.judgement), printable(replayed.judgement.reason),
                      verdict_state(replayed.judgement.verdict));
  section.add_figures(figures_of(run));
  if (!replayed.measured.empty()) section.add_table(phases_table(replayed));
  if (!replayed.left.empty()) section.add_table(left_table(left_by_reason(replayed.left)));
  if (replayed.starts) section.add_paragraph(printable(further_starts_sentence(*replayed.starts)) + ".");
  if (replayed.estimate) {
    section.add_screen("Estimate of the run", run_estimate_head(*replayed.estimate));
    section.add_table(run_kernels_table(*replayed.estimate));
  }
  return section;
}

}  // namespace kjoule
