#include "report/run_reports.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/files/csv.hpp"
#include "power/timestamp.hpp"
#include "recording/tier_text.hpp"
#include "report/run_names.hpp"
#include "report/shortened.hpp"
#include "report/wrapped.hpp"

namespace kjoule {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kRunSchema = 1;
constexpr size_t kShownKinds = 5;      // on a terminal
constexpr size_t kMostParts = 1000;    // in a file
constexpr size_t kRunNameLength = 29;  ///< bytes of short names

double ms(int64_t ns) {
  return static_cast<double>(ns) * 1e-6;
}
double us(int64_t ns) {
  return static_cast<double>(ns) * 1e-3;
}
double mean_us(const RunKernel& kernel) {
  return us(kernel.total_ns) / static_cast<double>(kernel.count);
}
double percent(int64_t part, int64_t all) {
  return all > 0 ? 100 * static_cast<double>(part) / static_cast<double>(all) : 0;
}

std::string sizes_of(const LoggedName& name) {
  if (name.grid.empty()) return {};
  return fmt::format(" <<<{}, {}, {}>>>", fmt::join(name.grid, "x"), fmt::join(name.block, "x"),
                     name.shared_bytes);
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
  if (!run.log.end)
    text += "  log     incomplete: the program was killed, so its last second may be missing\n";
  if (run.log.end && !run.log.end->cut.empty())
    text += wrapped("  log     ", "ends early: " + run.log.end->cut);
  if (run.log.end && run.log.end->dropped_calls + run.log.end->dropped_operations > 0)
    text +=
        wrapped("  log     ", fmt::format("{} host calls and {} operations were lost, so counts are too low",
                                          run.log.end->dropped_calls, run.log.end->dropped_operations));
  if (run.other_processes > 0)
    text += fmt::format("  others  {} more processes of the program used CUDA, and are not shown\n",
                        run.other_processes);
  return text;
}

std::string kind_line(const KindSummary& kind, const std::string& what, const ShownRun& run) {
  return fmt::format("{:>10.2f}{:>12.3f}{:>12.3f}{:>8}  {}\n",
                     percent(kind.times.busy_ns, run.summary.times.busy_ns), ms(kind.times.busy_ns),
                     ms(kind.host_ns), kind.runs, what);
}

/// Returns a line for each of the parts with the most GPU time, and one for all others.
std::string kinds_text(const ShownRun& run) {
  std::string text = "\n   share %      GPU ms     host ms    runs  part\n";
  KindSummary others;
  for (size_t i = 0; i < run.summary.kinds.size(); ++i) {
    const KindSummary& kind = run.summary.kinds[i];
    if (i < kShownKinds) {
      text += kind_line(kind, part_name(kind.period, kind.iterations, kind.launches, kind.even), run);
      continue;
    }
    others.runs += kind.runs;
    others.launches += kind.launches;
    others.host_ns += kind.host_ns;
    others.times.busy_ns += kind.times.busy_ns;
  }
  if (others.runs > 0)
    text += kind_line(others, fmt::format("all other parts, {} launches", others.launches), run);
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

Json kind_json(const KindSummary& kind, const RunSummary& summary) {
  return {{"kind", kind.kind},
          {"runs", kind.runs},
          {"first_launch", kind.first},
          {"launches", kind.launches},
          {"launches_per_iteration", kind.period == 0 ? Json() : Json(kind.period)},
          {"iterations", kind.iterations},
          {"even", kind.even},
          {"host_ms", ms(kind.host_ns)},
          {"busy_ms", ms(kind.times.busy_ns)},
          {"share_percent", percent(kind.times.busy_ns, summary.times.busy_ns)}};
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
  for (const KindSummary& kind : summary.kinds) json["kinds"].push_back(kind_json(kind, summary));
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

Json kernel_json(const ShownRun& run, const RunKernel& kernel, KernelRules& rules, const KernelNames& names) {
  const LoggedName& name = name_of(run, kernel);
  Json json{{"name", name.name},
            {"short_name", names.short_name(name.name)},
            {"tier", tier_json(tier_of(run, kernel, rules))},
            {"count", kernel.count}};
  json["grid"] = name.grid.empty() ? Json() : Json(name.grid);
  json["block"] = name.block.empty() ? Json() : Json(name.block);
  json["shared_bytes"] = name.shared_bytes;
  json["total_ms"] = ms(kernel.total_ns);
  json["mean_us"] = mean_us(kernel);
  json["least_us"] = us(kernel.least_ns);
  json["most_us"] = us(kernel.most_ns);
  json["share_percent"] = percent(kernel.total_ns, run.summary.times.work_ns);
  json["bytes"] = kernel.kind == OperationKind::kernel ? Json() : Json(kernel.bytes);
  return json;
}

}  // namespace

std::string run_text(const ShownRun& run, KernelRules& rules, size_t most_kernels, NameStyle style) {
  const KernelNames names = names_of(run, style, kRunNameLength);
  std::string text = head_text(run) + kinds_text(run);
  text += fmt::format("\n{:>9}{:>12}{:>12}{:>9}{:>9}  kernel\n", "count", "mean us", "total ms", "share %",
                      "tier");
  const auto& kernels = run.summary.kernels;
  for (size_t i = 0; i < std::min(kernels.size(), most_kernels); ++i) {
    const RunKernel& kernel = kernels[i];
    const LoggedName& name = name_of(run, kernel);
    text += names.row(fmt::format("{:>9}{:>12.3f}{:>12.3f}{:>9.2f}{:>9}  ", kernel.count, mean_us(kernel),
                                  ms(kernel.total_ns), percent(kernel.total_ns, run.summary.times.work_ns),
                                  tier_text(tier_of(run, kernel, rules))),
                      name.name, sizes_of(name));
  }
  if (kernels.size() > most_kernels)
    text += fmt::format("{:>9} more kernels (--json or --csv lists all)\n", kernels.size() - most_kernels);
  return text;
}

nlohmann::ordered_json run_json(const ShownRun& run, KernelRules& rules) {
  Json json{{"schema", kRunSchema}, {"title", run.title}, {"times_by", "profiler"}};
  json["launches"] = run.summary.launches;
  json["synchronisations"] = run.summary.synchronisations;
  json["gpu"] = times_json(run.summary.times);
  add_energy(run.energy, json);
  json["unmatched_operations"] = run.summary.unmatched_operations;
  json["complete"] = run.log.end.has_value();
  json["dropped_calls"] = run.log.end ? Json(run.log.end->dropped_calls) : Json();
  json["dropped_operations"] = run.log.end ? Json(run.log.end->dropped_operations) : Json();
  if (run.log.end && !run.log.end->cut.empty()) json["log_cut"] = run.log.end->cut;
  json["other_processes"] = run.other_processes;
  add_structure(run.summary, json);
  json["kernels"] = Json::array();
  const KernelNames names = names_of(run);
  for (const RunKernel& kernel : run.summary.kernels)
    json["kernels"].push_back(kernel_json(run, kernel, rules, names));
  return json;
}

std::string run_jsonl(const ShownRun& run, KernelRules& rules) {
  const KernelNames names = names_of(run);
  std::string text;
  for (const RunKernel& kernel : run.summary.kernels)
    text += kernel_json(run, kernel, rules, names).dump() + "\n";
  return text;
}

std::string run_csv(const ShownRun& run, KernelRules& rules) {
  std::string text = csv_line({"name", "tier", "grid", "block", "shared_bytes", "count", "mean_us",
                               "total_ms", "share_percent", "short_name"}) +
                     "\n";
  const KernelNames names = names_of(run);
  for (const RunKernel& kernel : run.summary.kernels) {
    const LoggedName& name = name_of(run, kernel);
    text +=
        csv_line({name.name, tier_text(tier_of(run, kernel, rules)),
                  fmt::format("{}", fmt::join(name.grid, "x")), fmt::format("{}", fmt::join(name.block, "x")),
                  std::to_string(name.shared_bytes), std::to_string(kernel.count),
                  fmt::format("{:.3f}", mean_us(kernel)), fmt::format("{:.6f}", ms(kernel.total_ns)),
                  fmt::format("{:.3f}", percent(kernel.total_ns, run.summary.times.work_ns)),
                  names.short_name(name.name)}) +
        "\n";
  }
  return text;
}

}  // namespace kjoule
