#include "report/phase_reports.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/json/finite_json.hpp"
#include "base/text/signed_text.hpp"
#include "report/left_phases.hpp"
#include "report/microseconds.hpp"
#include "report/run_estimate_report.hpp"
#include "report/wrapped.hpp"

namespace kjoule {
namespace {

using Json = nlohmann::ordered_json;
using PhaseColumn = TableColumn<MeasuredPhase>;

constexpr size_t kShownLeft = 5;  ///< most reasons for missing replays that are printed on a terminal

double share_percent(double part, double all) {
  return all > 0 ? 100 * part / all : 0;
}

double error_percent(const Interval& sum, const Interval& whole) {
  return share_percent(sum.value - whole.value, whole.value);
}

/// Places of the columns that the screen shows, and of those that only the page of a run shows.
constexpr Places kPhasePlaces = Place::first_screen | Place::details | Place::json;
constexpr Places kPagePlaces = Place::details | Place::json;
constexpr Places kTables = Place::first_screen | Place::details;

std::string sum_half_width_cell(const MeasuredPhase& phase) {
  return fmt::format("{:.2f}", share_percent(phase.sum_s.half_width, phase.whole_s.value));
}
std::string phase_total_cell(const MeasuredPhase& phase) {
  return fmt::format("{:.3f}", 1e3 * static_cast<double>(phase.facts.iterations) * phase.whole_s.value);
}

/// Returns the columns of a part of a run. `Row` is MeasuredPhase or LeftPhase.
template <class Row>
std::vector<TableColumn<Row>> part_columns() {
  using Column = TableColumn<Row>;
  const auto in_json = [](const char* key, const char* meaning, const char* unit, auto value) {
    return Column::in_files(key, meaning, unit, Place::json,
                            [value](const Row& row) -> Json { return value(row.facts); });
  };
  using Facts = const PartFacts&;
  return {
      in_json("kind", "kind of phase: all runs of a loop, a single pass, or another window of launches", "",
              [](Facts facts) { return facts.kind(); }),
      in_json("first_launch", "first launch of the measured iteration, in the first start",
              "number of the launch, from 0; a graph counts as its nodes",
              [](Facts facts) { return facts.end > 0 ? Json(facts.first) : Json(); }),
      in_json("launches", "number of launches of the measured iteration", "launches",
              [](Facts facts) { return facts.end > 0 ? Json(facts.launches()) : Json(); }),
      Column::number(
          "iterations", "iterations", "number of iterations of the phase in the run", "iterations",
          kPhasePlaces, [](const Row& row) { return row.facts.iterations; }, 0, 10),
      in_json("samples",
              "number of iterations of this loop that were measured, each as a phase of its own that "
              "represents `iterations` iterations; 1 if one iteration represents all",
              "iterations", [](Facts facts) { return std::max<uint64_t>(1, facts.samples); }),
      {"GPU ms", "busy_us",
       "GPU time of all iterations, by the profiler; null for a window, during which the profiler was off",
       "us", kPagePlaces,
       [](const Row& row) {
         return row.facts.is_window() ? std::string()
                                      : fmt::format("{:.3f}", 1e-6 * static_cast<double>(row.facts.part_ns));
       },
       [](const Row& row) {
         return unless_window(row.facts, static_cast<double>(row.facts.part_ns) * 1e-3);
       }},
      Column::number(
          "% of run", "run_share_percent",
          "GPU time (busy_us) as a share of that of the run, by the profiler; null for a window", "%",
          kPagePlaces, [](const Row& row) { return unless_window(row.facts, 100 * row.facts.run_share); }, 2),
      in_json("spread_percent",
              "distance between the 10 % and 90 % quantiles of the iterations' GPU times, as a share of "
              "their median; null if unknown",
              "%", [](Facts facts) { return facts.spread ? Json(100 * facts.spread->share()) : Json(); })};
}

std::vector<PhaseColumn> phase_time_columns() {
  using Phase = const MeasuredPhase&;
  return {PhaseColumn::number(
              "whole us", "whole_us", "time of one iteration, replayed without gaps", "us", kPhasePlaces,
              [](Phase phase) { return us(phase.whole_s.value); }, 3, 11),
          PhaseColumn::number(
              "sum us", "sum_us", "time of one iteration as the sum of its kernels", "us", kPhasePlaces,
              [](Phase phase) { return us(phase.sum_s.value); }, 3, 11),
          PhaseColumn::in_files("half_width_us",
                                "half-width of the 95 % interval of sum_us; null if it is infinite", "us",
                                Place::json, [](Phase phase) { return us(phase.sum_s.half_width); }),
          PhaseColumn::number(
              "error %", "sum_error_percent", "difference between sum and whole", "%", kPhasePlaces,
              [](Phase phase) { return error_percent(phase.sum_s, phase.whole_s); }, 2, 7),
          PhaseColumn::on_screen("+- %", "half-width of the 95 % interval of the sum", kTables,
                                 sum_half_width_cell, 6),
          PhaseColumn::on_screen("total ms", "time of all iterations: iterations x whole", kTables,
                                 phase_total_cell, 9)};
}

/// Returns a column of the energy of one iteration.
PhaseColumn joules_column(const char* head, const char* key, const char* meaning,
                          double (*joules)(const PhaseEnergy&)) {
  return PhaseColumn::number(
      head, key, meaning, "J", kPagePlaces,
      [joules](const MeasuredPhase& phase) { return phase.energy ? Json(joules(*phase.energy)) : Json(); },
      4);
}

std::vector<PhaseColumn> phase_energy_columns() {
  using Energy = const PhaseEnergy&;
  return {joules_column("whole J", "whole_joules",
                        "energy of the whole: one replayed iteration; null if it was not measured",
                        [](Energy energy) { return energy.whole_j.value; }),
          joules_column("sum J", "sum_joules",
                        "sum of the energies of the kernels of one iteration; null if it was not measured",
                        [](Energy energy) { return energy.sum_j.value; }),
          joules_column("+- J", "half_width_joules",
                        "half-width of the 95 % interval of sum_joules; null if it was not measured",
                        [](Energy energy) { return energy.sum_j.half_width; })};
}

std::vector<PhaseColumn> name_columns() {
  return {PhaseColumn::number(
              "phase", "phase", "number of the phase, in the order of its share of the run",
              "number of the phase", Place::first_screen | Place::json,
              [](const MeasuredPhase& phase) { return phase.number; }, 0, 5),
          PhaseColumn::in_files("folder", "results folder of the phase, relative to this folder", "",
                                Place::json, [](const MeasuredPhase& phase) { return phase.folder; })};
}

}  // namespace

const std::vector<PhaseColumn>& measured_phase_columns() {
  static const std::vector<PhaseColumn> columns =
      joined({name_columns(),
              part_columns<MeasuredPhase>(),
              phase_time_columns(),
              phase_energy_columns(),
              {PhaseColumn::on_screen(
                  "launches", "launches that were measured, as FIRST..END, counted from 0, with END excluded",
                  Place::first_screen, {})}});
  return columns;
}

namespace {

Json left_json(const LeftPhase& phase) {
  Json json = json_object(part_columns<LeftPhase>(), phase);
  json["reason"] = phase.why;
  return json;
}

std::string phases_table(const std::vector<MeasuredPhase>& phases) {
  const ShownColumns columns(measured_phase_columns(), Place::first_screen, phases, ColumnGaps{});
  std::string text = columns.heads() + "  launches\n";
  for (const MeasuredPhase& phase : phases)
    text += table_row(columns.cells(phase) + "  ", launches_text(phase.facts));
  return text;
}

std::string energies_text(const RunComparison& run) {
  std::string text;
  for (const MeasuredPhase& phase : run.measured)
    if (phase.energy)
      text += fmt::format("  energy of phase {}: whole {:.4g} J, sum {} % +- {:.2f} %\n", phase.number,
                          phase.energy->whole_j.value,
                          signed_text(error_percent(phase.energy->sum_j, phase.energy->whole_j), 2),
                          share_percent(phase.energy->sum_j.half_width, phase.energy->whole_j.value));
  return text;
}

std::string left_text(const RunComparison& run) {
  const std::vector<LeftForAReason> reasons = left_by_reason(run.left);
  std::string text;
  for (size_t i = 0; i < std::min(reasons.size(), kShownLeft); ++i)
    text += wrapped("  ",
                    fmt::format("not replayed: {}; reason: {}", reasons[i].text_with_time(), reasons[i].why));
  if (reasons.size() > kShownLeft)
    text += fmt::format("  not replayed: phases for {} more reasons (run_report.json lists them)\n",
                        reasons.size() - kShownLeft);
  return text;
}

}  // namespace

nlohmann::ordered_json unless_window(const PartFacts& facts, double value) {
  return facts.is_window() ? Json() : Json(value);
}

std::string further_starts_sentence(const FurtherStarts& starts) {
  std::string text =
      fmt::format("{} further start{} of the program", starts.count, starts.count == 1 ? "" : "s");
  if (starts.matched_share)
    text += fmt::format(", in which phases with {:.0f} % of the chosen phases' GPU time ran again",
                        100 * *starts.matched_share);
  if (starts.exit_code) text += fmt::format("; one start ran to its end (exit code {})", *starts.exit_code);
  for (const std::string& why : starts.ended)
    text += fmt::format("; one start was ended early, so its output files may be incomplete: {}", why);
  return text;
}

std::string further_starts_text(const FurtherStarts& starts) {
  return wrapped("  ", further_starts_sentence(starts));
}

std::string run_comparison_text(const RunComparison& run) {
  std::string text = fmt::format("\nmeasured by replay: {} with {:.0f} % of all {} time (by the profiler)\n",
                                 run.has_kernels ? "kernels" : "copies and memsets", 100 * run.replayed_share,
                                 run.has_kernels ? "kernels'" : "copies'");
  if (!run.measured.empty()) text += phases_table(run.measured);
  text += energies_text(run) + left_text(run);
  if (run.starts) text += further_starts_text(*run.starts);
  if (run.estimate) text += run_estimate_text(*run.estimate);
  return text + wrapped("", fmt::format("{}: {}", verdict_text(run.judgement), run.judgement.reason));
}

TableColumns phase_columns() {
  return {"the phases of a run that were measured by replay",
          explained(measured_phase_columns(), Place::first_screen)};
}

nlohmann::ordered_json run_comparison_json(const RunComparison& run) {
  Json json{{"verdict", to_string(run.judgement.verdict)},
            {"within_percent", 100 * run.judgement.within},
            {"requested_within_percent", 100 * run.requested_within},
            {"verdict_reason", run.judgement.reason},
            {"replayed_share_percent", 100 * run.replayed_share},
            {"whole_us", us(run.whole_s.value)},
            {"sum_us", us(run.sum_s.value)},
            {"half_width_us", us(run.sum_s.half_width)},
            {"sum_error_percent", error_percent(run.sum_s, run.whole_s)}};
  const FurtherStarts starts = run.starts.value_or(FurtherStarts{});
  json["further_starts"] = starts.count;
  json["matched_share_percent"] = starts.matched_share ? Json(100 * *starts.matched_share) : Json();
  json["exit_code"] = starts.exit_code ? Json(*starts.exit_code) : Json();
  json["ended"] = starts.ended;
  json["phases"] = Json::array();
  for (const MeasuredPhase& phase : run.measured)
    json["phases"].push_back(json_object(measured_phase_columns(), phase));
  json["estimate"] = run.estimate ? run_estimate_json(*run.estimate) : Json();
  json["not_replayed"] = Json::array();
  for (const LeftPhase& phase : run.left) json["not_replayed"].push_back(left_json(phase));
  return with_finite_numbers(json);
}

}  // namespace kjoule
