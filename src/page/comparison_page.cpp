#include "page/comparison_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/text/counted.hpp"
#include "base/text/printable.hpp"
#include "compare/iteration/launch_gaps.hpp"
#include "compare/iteration/rank_group_result.hpp"
#include "compare/judgement/findings.hpp"
#include "compare/judgement/judge.hpp"
#include "compare/ranks/compare_watched.hpp"
#include "page/comparison_parts.hpp"
#include "page/figure_texts.hpp"
#include "page/machine_section.hpp"
#include "page/method_section.hpp"
#include "page/run_section.hpp"
#include "page/work_section.hpp"
#include "report/collective_reports.hpp"
#include "report/iteration_timeline.hpp"
#include "report/kernel_names.hpp"
#include "report/rank_energy_reports.hpp"
#include "report/watched_reports.hpp"

namespace kjoule {

namespace {

const EnergyResult* measured_energy(const Comparison& c) {
  return c.energy && c.energy->missing.empty() ? &*c.energy : nullptr;
}

KeyFigure time_figure(const Comparison& c) {
  if (const auto own = own_iteration(c))
    return {"One iteration takes", figure_time(own->value), "as the program runs it, launch gaps included"};
  return {"One iteration takes", figure_time(c.times.whole_s.value), "replayed without launch gaps"};
}

KeyFigure energy_figure(const EnergyResult& energy) {
  if (energy.own_j)
    return {"One iteration costs", figure_energy(energy.own_j->value),
            fmt::format("as the program runs it, at {:.0f} W", energy.own_w->value)};
  return {"One iteration costs", figure_energy(energy.estimate.whole_j.value),
          fmt::format("replayed without launch gaps, at {:.0f} W", energy.estimate.whole_w.value)};
}

KeyFigure gaps_figure(const Comparison& c) {
  const auto gaps_s = launch_gaps_s(c);
  if (!own_iteration(c)) return {"Launch gaps", "not measured", "the program's own iteration was not timed"};
  if (!gaps_s) return {"Launch gaps", "none", "the program's own iteration is not longer than its work"};
  std::string note =
      fmt::format("{:.1f} % of the program's iteration", 100 * *gaps_s / own_iteration(c)->value);
  if (c.energy && c.energy->idle_w)
    note += fmt::format("; {} at idle power", figure_energy(*gaps_s * *c.energy->idle_w));
  return {"Launch gaps", figure_time(*gaps_s), note};
}

/// Adds the kernels of largest time and of largest energy.
void add_largest(const Comparison& c, std::vector<KeyFigure>& figures) {
  const KernelNames names = names_of(c.kernels, NameStyle::shortened, kTableNameLength);
  const KernelResult *slowest = nullptr, *costliest = nullptr;
  for (const KernelResult& kernel : c.kernels) {
    if (kernel.in_context_s &&
        (slowest == nullptr || kernel.in_context_s->value > slowest->in_context_s->value))
      slowest = &kernel;
    if (kernel.energy &&
        (costliest == nullptr || kernel.energy->joules.value > costliest->energy->joules.value))
      costliest = &kernel;
  }
  if (slowest != nullptr)
    figures.push_back({"Kernel with the most time", names.shown(slowest->name),
                       fmt::format("{} in {}: {:.1f} % of the sum", figure_time(slowest->in_context_s->value),
                                   counted(slowest->count, "launch"),
                                   100 * slowest->in_context_s->value / c.times.sum_s.value)});
  if (costliest != nullptr && measured_energy(c) != nullptr)
    figures.push_back(
        {"Kernel with the most energy", names.shown(costliest->name),
         fmt::format("{}: {:.1f} % of the sum", figure_energy(costliest->energy->joules.value),
                     100 * costliest->energy->joules.value / measured_energy(c)->estimate.sum_j.value)});
}

PageSection result_section(const Comparison& c) {
  PageSection section("result", "Result");
  section.add_verdict("Time " + verdict_text(c.judgement), c.judgement.reason,
                      verdict_state(c.judgement.verdict));
  std::vector<KeyFigure> figures{time_figure(c)};
  if (const EnergyResult* energy = measured_energy(c)) {
    const Judgement judgement = judge_energy(*energy);
    section.add_verdict("Energy " + verdict_text(judgement), judgement.reason,
                        verdict_state(judgement.verdict));
    figures.push_back(energy_figure(*energy));
  } else if (c.energy) {
    section.add_verdict("Energy was not measured", printable(c.energy->missing), "open");
  }
  figures.push_back(gaps_figure(c));
  add_largest(c, figures);
  section.add_figures(figures);
  section.add_table(quantities_table(c));
  section.add_paragraph(
      "The whole is the recorded iteration, replayed without the program's launch gaps. The sum adds up the "
      "times "
      "and energies that were measured for each kernel at its places in the iteration. If both agree, the "
      "costs of "
      "the kernels below are right. +- is the half-width of the 95 % interval.");
  return section;
}

PageSection division_section(const Comparison& c) {
  PageSection section("division", "Where time and energy go");
  for (const PageTable& table : {division_table(c), categories_table(c), tiers_table(c)})
    if (!table.is_empty()) section.add_table(table);
  return section;
}

PageSection kernels_section(const Comparison& c) {
  PageSection section("kernels", "Kernels");
  section.add_table(kernels_table(c));
  return section;
}

PageSection ranges_section(const Comparison& c) {
  PageSection section("ranges", "NVTX ranges");
  if (const PageTable table = ranges_table(c); !table.is_empty()) section.add_table(table);
  return section;
}

PageSection timeline_section(const PageIteration& iteration) {
  PageSection section("timeline", "Timeline");
  auto timeline = iteration_timeline(*iteration.recording, *iteration.rows, *iteration.comparison);
  if (!timeline) return section;
  name_bars(*timeline, NameStyle::shortened);
  section.add_picture(timeline_svg(*timeline),
                      "Timeline of one iteration, as the device ran it. The tables above have its figures.");
  section.add_download("Save the timeline for Perfetto (ui.perfetto.dev)", "timeline.json",
                       timeline_chrome(*timeline));
  return section;
}

PageSection findings_section(const Comparison& c) {
  PageSection section("findings", "Findings and checks");
  std::vector<std::string> items;
  for (const std::string& finding : findings_of(c)) items.push_back("Finding: " + printable(finding));
  if (items.empty()) section.add_paragraph("There are no findings.");
  for (const std::string& why : c.residual) items.push_back(printable(why));
  section.add_list(items);
  return section;
}

PageSection machine_of(const Comparison& c) {
  std::vector<nlohmann::json> meters;
  if (c.energy)
    for (const MeterResult& meter : c.energy->meters) meters.push_back(meter.facts);
  return machine_section(c.run, meters);
}

/// Returns the rank that waits most for other ranks; nothing if no rank waits. The rank is not certain if its
/// interval overlaps that of the rank that waits least.
std::optional<KeyFigure> waiting_figure(std::vector<RankActivity> ranks) {
  std::erase_if(ranks, [](const RankActivity& rank) { return !rank.waiting_s; });
  if (ranks.empty()) return {};
  const auto waiting_s = [](const RankActivity& rank) { return rank.waiting_s->value; };
  const RankActivity& most = *std::ranges::max_element(ranks, {}, waiting_s);
  const RankActivity& least = *std::ranges::min_element(ranks, {}, waiting_s);
  const double width_s = most.waiting_s->half_width;
  const std::string time = fmt::format("{} +- {} in one iteration", figure_time(most.waiting_s->value),
                                       std::isfinite(width_s) ? figure_time(width_s) : "an unknown error");
  const bool is_certain = most.waiting_s->value - most.waiting_s->half_width >
                          least.waiting_s->value + least.waiting_s->half_width;
  if (is_certain)
    return KeyFigure{"Rank that waits most", printable(most.rank),
                     time + ", for the last rank in its collectives"};
  return KeyFigure{
      "Rank that waits most", "not certain",
      fmt::format("{} waits {}, but the intervals of the ranks overlap", printable(most.rank), time)};
}

/// Returns what the ranks did in the program's own iterations; empty if that is not known.
std::vector<KeyFigure> rank_figures(const WatchedRanks& watched) {
  if (!watched.error.empty() || watched.ranks.empty()) return {};
  const auto& ranks = watched.ranks;
  const RankActivity& longest = *std::ranges::max_element(ranks, {}, &RankActivity::iteration_s);
  const RankActivity& busiest = *std::ranges::max_element(ranks, {}, &RankActivity::computation_s);
  std::vector<KeyFigure> figures{
      {"One iteration takes", figure_time(longest.iteration_s),
       fmt::format("on {}, the slowest; mean of {} iterations as the program runs them, seen by the profiler",
                   longest.rank, watched.iterations)},
      {"Rank that computes longest", printable(busiest.rank),
       fmt::format("{}: {:.1f} % more than the mean of the ranks", figure_time(busiest.computation_s),
                   100 * imbalance(watched))}};
  if (const auto waiting = waiting_figure(ranks)) figures.push_back(*waiting);
  return figures;
}

/// Returns the iterations next to each other, and what their ranks did together.
PageSection iterations_section(const std::vector<PageIteration>& iterations) {
  const Comparison& first = *iterations.front().comparison;
  PageSection section("iterations", first.ranks.empty() ? "Phases" : "Ranks");
  if (!first.ranks.empty()) {
    const RankResult& rank = least_certain_rank(first.ranks);
    section.add_verdict("Time " + verdict_text(rank.judgement), rank.rank + ": " + rank.judgement.reason,
                        verdict_state(rank.judgement.verdict));
  }
  if (first.watched) {
    const std::vector<KeyFigure> figures = rank_figures(*first.watched);
    if (!figures.empty()) section.add_figures(figures);
  }
  std::vector<NamedComparison> all;
  for (const PageIteration& one : iterations) all.push_back({one.name, one.comparison});
  section.add_table(iterations_table(all));
  if (!first.ranks.empty())
    section.add_screen("What the ranks did together",
                       rank_energies_screen(first.ranks) + collectives_screen(first) +
                           (first.watched ? watched_screen(*first.watched) : ""));
  return section;
}

/// Adds the sections of one iteration. If there are several, the headings have its name.
void add_iteration(const PageIteration& iteration, std::vector<PageSection>& sections) {
  const Comparison& c = *iteration.comparison;
  for (PageSection& section : std::vector{result_section(c), division_section(c), kernels_section(c),
                                          work_section(*iteration.recording, c), ranges_section(c),
                                          timeline_section(iteration), findings_section(c)}) {
    if (!iteration.name.empty()) section.name_part(iteration.name);
    sections.push_back(std::move(section));
  }
}

}  // namespace

std::vector<PageSection> comparison_sections(const std::vector<PageIteration>& iterations) {
  std::vector<PageSection> sections;
  if (iterations.size() > 1) sections.push_back(iterations_section(iterations));
  for (const PageIteration& iteration : iterations) add_iteration(iteration, sections);
  return sections;
}

Page comparison_page(const std::vector<PageIteration>& iterations) {
  const Comparison& c = *iterations.front().comparison;
  Page page{printable(c.run.value("title", "compare")), page_subtitle(c.run),
            comparison_sections(iterations)};
  if (!c.program_iterations.start_timestamp.empty())
    page.subtitle += ", measured " + printable(c.program_iterations.start_timestamp);
  page.sections.push_back(machine_of(c));
  page.sections.push_back(method_section(c));
  return page;
}

Page run_page(const StoredRun& run, const std::vector<PageIteration>& iterations) {
  Page page =
      iterations.empty() ? Page{printable(run.title), "no phase was measured"} : comparison_page(iterations);
  PageSection section = run_section(run);
  if (const auto& measured = run.replayed.measured; measured.size() > iterations.size())
    section.add_paragraph(
        fmt::format("This page has the kernels of {} of these {}; kjoule report FOLDER/{} writes the page of "
                    "another one.",
                    iterations.size(), measured.size(), printable(measured.back().folder)));
  page.sections.insert(page.sections.begin(), std::move(section));
  return page;
}

}  // namespace kjoule
