#include "report/run_reports.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "power/timestamp.hpp"
#include "report/more_rows.hpp"
#include "report/run_columns.hpp"
#include "report/run_names.hpp"
#include "report/shortened.hpp"
#include "report/wrapped.hpp"

namespace kjoule {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kRunSchema = 1;
constexpr size_t kShownKinds = 5;    // on a terminal
constexpr size_t kMostParts = 1000;  // in a file

double ms(int64_t ns) {
  return static_cast<double>(ns) * 1e-6;
}
double percent(int64_t part, int64_t all) {
  return all > 0 ? 100 * static_cast<double>(part) / static_cast<double>(all) : 0;
}

std::string energy_text(const RunEnergy& energy) {
  if (!energy.missing.empty()) return wrapped("  energy  ", "not measured: " + energy.missing);
  return wrapped("  energy  ",
                 fmt::format("{:.1f} +- {:.1f} J in {:.3f} s ({:.1f} W); this is the energy of the "
                             "whole GPU, idle time and work of other programs included",
                             energy.joules, energy.half_width_joules, energy.seconds(), energy.watts()));
}

std::string head_text(const ShownRun& run) {
  const OperationTimes& times = run.summary.times;
  std::string text = shortened(run.title, kReportWidth) + "\n";
  text += fmt::format("  host    {} launches, {} synchronisations\n", run.summary.launches,
                      run.summary.synchronisations);
  text += wrapped("  GPU     ", fmt::format("{} operations: busy for {:.3f} ms of {:.3f} ms ({:.1f} %), idle "
                                            "for {:.3f} ms; {:.3f} ms of the work overlapped other work",
                                            times.operations, ms(times.busy_ns), ms(times.span_ns()),
                                            percent(times.busy_ns, times.span_ns()), ms(times.gap_ns()),
                                            ms(times.overlap_ns())));
  text += energy_text(run.energy);
  text += "  times   measured by the profiler (CUPTI), which makes GPU work 2 to 6 % longer\n";
  text += log_faults_text(run);
  if (run.other_processes > 0)
    text += fmt::format("  others  {} more processes of the program used CUDA, and are not shown\n",
                        run.other_processes);
  return text;
}

Json times_json(const OperationTimes& times) {
  return {{"operations", times.operations},
          {"busy_ms", ms(times.busy_ns)},
          {"span_ms", ms(times.span_ns())},
          {"gaps_ms", ms(times.gap_ns())},
          {"overlap_ms", ms(times.overlap_ns())}};
}

void add_energy(const RunEnergy& energy, Json& json) {
  if (!energy.missing.empty()) {
    json["energy_missing"] = energy.missing;
    return;
  }
  json["energy"] = {{"meter", energy.meter},
                    {"gpu", energy.gpu},
                    {"joules", energy.joules},
                    {"half_width_joules", energy.half_width_joules},
                    {"watts", energy.watts()},
                    {"begin", local_timestamp(energy.begin_ns)},
                    {"end", local_timestamp(energy.end_ns)},
                    {"seconds", energy.seconds()}};
}

Json part_json(const RunPart& part) {
  return {{"kind", part.kind},
          {"first_launch", part.first},
          {"launches", part.launches},
          {"launches_per_iteration", part.period == 0 ? Json() : Json(part.period)},
          {"iterations", part.iterations}};
}

void add_structure(const RunSummary& summary, Json& json) {
  const RunStructure& structure = summary.structure;
  json["kinds"] = Json::array();
  for (const KindSummary& kind : summary.kinds)
    json["kinds"].push_back(json_object(run_kind_columns(), RunKindRow{&kind, &summary}));
  const size_t shown = std::min(structure.parts.size(), kMostParts);
  json["parts"] = Json::array();
  for (size_t i = 0; i < shown; ++i) json["parts"].push_back(part_json(structure.parts[i]));
  json["parts_omitted"] = structure.parts.size() - shown;
  json["groups"] = Json::array();
  for (const RunGroup& group : structure.groups)
    if (group.first_part + group.parts <= shown)
      json["groups"].push_back(
          {{"first_part", group.first_part}, {"parts", group.parts}, {"iterations", group.iterations}});
}

}  // namespace

std::string log_faults_text(const ShownRun& run) {
  std::string text;
  if (!run.log.end)
    text += "  log     incomplete: the program was killed, so its last second may be missing\n";
  if (run.log.end && !run.log.end->cut.empty())
    text += wrapped("  log     ", "ends early: " + run.log.end->cut);
  if (run.log.end && run.log.end->dropped_calls + run.log.end->dropped_operations > 0)
    text +=
        wrapped("  log     ", fmt::format("{} host calls and {} operations were lost, so counts are too low",
                                          run.log.end->dropped_calls, run.log.end->dropped_operations));
  return text;
}

// A line for each of the parts with the most GPU time, and one for all others.
std::string run_parts_text(const ShownRun& run) {
  const RunSummary& summary = run.summary;
  KindSummary others;
  std::vector<RunKindRow> rows;
  std::vector<std::string> parts;
  for (const KindSummary& kind : summary.kinds) {
    if (rows.size() < kShownKinds) {
      rows.push_back({&kind, &summary});
      parts.push_back(part_name(kind.period, kind.iterations, kind.launches, kind.even));
      continue;
    }
    others.runs += kind.runs;
    others.launches += kind.launches;
    others.host_ns += kind.host_ns;
    others.times.busy_ns += kind.times.busy_ns;
  }
  if (others.runs > 0) {
    rows.push_back({&others, &summary});
    parts.push_back(fmt::format("all other parts, {} launches", others.launches));
  }
  const ShownColumns<RunKindRow> columns(run_kind_columns(), Place::first_screen, rows, ColumnGaps{});
  std::string text = fmt::format("\n{}  part\n", columns.heads());
  for (size_t i = 0; i < rows.size(); ++i) text += fmt::format("{}  {}\n", columns.cells(rows[i]), parts[i]);
  return text;
}

std::string run_text(const ShownRun& run, KernelRules& rules, size_t most_kernels, NameStyle style) {
  const KernelNames names = names_of(run, style, kRunNameLength);
  std::string text = head_text(run) + run_parts_text(run);
  const std::vector<ObservedKernelRow> rows = observed_kernel_rows(run, rules, names);
  const ShownColumns<ObservedKernelRow> columns(observed_kernel_columns(), Place::first_screen, rows,
                                                ColumnGaps{});
  text += fmt::format("\n{}  kernel\n", columns.heads());
  for (size_t i = 0; i < std::min(rows.size(), most_kernels); ++i) {
    const LoggedName& name = *rows[i].name;
    text += names.row(columns.cells(rows[i]) + "  ", name.name, sizes_of(name));
  }
  return text + more_rows_line(rows.size() - std::min(rows.size(), most_kernels));
}

nlohmann::ordered_json run_head_json(const std::string& title) {
  return {{"schema", kRunSchema}, {"title", title}, {"times_by", "profiler"}};
}

nlohmann::ordered_json run_facts_json(const ShownRun& run) {
  Json json;
  json["launches"] = run.summary.launches;
  json["synchronisations"] = run.summary.synchronisations;
  json["gpu"] = times_json(run.summary.times);
  add_energy(run.energy, json);
  json["unmatched_operations"] = run.summary.unmatched_operations;
  json["complete"] = run.log.end.has_value();
  json["dropped_calls"] = run.log.end ? Json(run.log.end->dropped_calls) : Json();
  json["dropped_operations"] = run.log.end ? Json(run.log.end->dropped_operations) : Json();
  if (run.log.end && !run.log.end->cut.empty()) json["log_cut"] = run.log.end->cut;
  add_structure(run.summary, json);
  return json;
}

nlohmann::ordered_json run_json(const ShownRun& run, KernelRules& rules) {
  Json json = run_head_json(run.title);
  json.update(run_facts_json(run));
  json["other_processes"] = run.other_processes;
  json["kernels"] = Json::array();
  const KernelNames names = names_of(run);
  for (const ObservedKernelRow& row : observed_kernel_rows(run, rules, names))
    json["kernels"].push_back(json_object(observed_kernel_columns(), row));
  return json;
}

std::string run_jsonl(const ShownRun& run, KernelRules& rules) {
  const KernelNames names = names_of(run);
  std::string text;
  for (const ObservedKernelRow& row : observed_kernel_rows(run, rules, names))
    text += json_object(observed_kernel_columns(), row).dump() + "\n";
  return text;
}

std::string run_csv(const ShownRun& run, KernelRules& rules) {
  const KernelNames names = names_of(run);
  return csv_text(observed_kernel_columns(), observed_kernel_rows(run, rules, names));
}

}  // namespace kjoule
