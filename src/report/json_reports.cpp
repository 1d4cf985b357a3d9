#include "report/json_reports.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/json/optional_json.hpp"
#include "base/text/microseconds.hpp"
#include "compare/iteration/iteration_division.hpp"
#include "compare/iteration/launch_gaps.hpp"
#include "recording/tier_text.hpp"
#include "report/collective_reports.hpp"
#include "report/comparison_energy.hpp"
#include "report/kernel_columns.hpp"
#include "report/kernel_names.hpp"
#include "report/microseconds.hpp"
#include "report/per_item.hpp"
#include "report/phase_reports.hpp"
#include "report/quantities.hpp"
#include "report/range_reports.hpp"
#include "report/rank_energy_reports.hpp"
#include "report/rank_reports.hpp"
#include "report/replay_reports.hpp"
#include "report/watched_reports.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;

/// The schema version of comparison_report.json. Version 2 introduced the field `quantities`.
constexpr int kSchema = 4;

Json interval_us(const Interval& interval) {
  return {us(interval.value - interval.half_width), us(interval.value + interval.half_width)};
}

Json known(double value) {
  return std::isnan(value) ? Json() : Json(value);
}

Json optional_mhz(const std::optional<double>& hz) {
  return hz ? Json(*hz * 1e-6) : Json();
}

Json timeline_json(const TimelineResult& timeline) {
  if (!timeline.error.empty()) return {{"error", timeline.error}};
  const Audit& audit = timeline.audit;
  Json json;
  json["audit"] = {{"equal", audit.equal()},
                   {"launches", audit.launches},
                   {"activities", audit.activities},
                   {"differences_found", audit.differences_found},
                   {"differences", audit.differences}};
  if (const auto& totals = timeline.totals) {
    json["iteration"] = {{"span_us", ns_to_us(totals->span_ns)},
                         {"busy_us", ns_to_us(totals->busy_ns)},
                         {"idle_us", ns_to_us(totals->idle_ns)},
                         {"work_us", ns_to_us(totals->work_ns)},
                         {"overlap_us", ns_to_us(totals->overlap_ns)}};
  }
  json["replayed_whole_us"] = optional_us(timeline.replayed_whole_s());
  if (!timeline.launch_s_missing.empty()) json["replayed_whole_missing"] = timeline.launch_s_missing;
  return json;
}

Json part_json(const Comparison& c) {
  if (!c.part) return nullptr;
  const PartFacts& part = *c.part;
  return {{"kind", part.kind()},
          {"first_launch", part.first},
          {"launches", part.launches()},
          {"iterations", part.iterations},
          {"run_share_percent", unless_window(part, 100 * part.run_share)},
          {"measured_busy_us", unless_window(part, ns_to_us(part.measured_ns))},
          {"part_busy_us", unless_window(part, ns_to_us(part.part_ns))},
          {"spread_percent", part.spread ? Json(100 * part.spread->share()) : Json()},
          {"part_us", optional_us(c.part_s())}};
}

Json division_json(const Comparison& c) {
  const auto division = divide_iteration(c);
  if (!division) return nullptr;
  return {{"iterations", division->iterations},
          {"iteration_us", us(division->own_s)},
          {"kernels_us", us(division->kernels_s)},
          {"device_copies_us", us(division->device_copies_s)},
          {"transfers_us", us(division->transfers_s)},
          {"pageable_host_part_us", us(division->staging_s)},
          {"launch_gaps_us", us(division->gaps_s)},
          {"overlap_us", us(division->overlap_s)},
          {"unexplained_percent", 100 * division->unexplained()}};
}

Json iteration_spread_json(const Comparison& c) {
  if (!c.iteration_spread) return nullptr;
  return {{"iterations", c.iteration_spread->iterations},
          {"low_busy_us", ns_to_us(c.iteration_spread->low_ns)},
          {"median_busy_us", ns_to_us(c.iteration_spread->median_ns)},
          {"high_busy_us", ns_to_us(c.iteration_spread->high_ns)},
          {"spread_percent", 100 * c.iteration_spread->share()}};
}

Json half_of_places_json(const Comparison& c) {
  if (!c.times.half_of_places) return nullptr;
  return {{"mean_error_percent", 100 * c.times.half_of_places->mean_error},
          {"sum_error_percent", 100 * c.times.half_of_places->sum_error},
          {"once_share_percent", 100 * c.times.half_of_places->once_share}};
}

Json control_json(const Comparison& c) {
  if (!c.control) return nullptr;
  return {{"before_us", us(c.control->before_s)},
          {"after_us", us(c.control->after_s)},
          {"slower_percent", 100 * c.control->slower()}};
}

Json other_starts_json(const Comparison& c) {
  Json list = Json::array();
  for (const OtherStart& start : c.other_starts)
    list.push_back(start.error.empty()
                       ? Json{{"whole_us", us(start.whole_s)},
                              {"sum_error_percent", 100 * (c.times.sum_s.value / start.whole_s - 1)}}
                       : Json{{"error", start.error}});
  return list;
}

Json kernel_json(const ReportedKernel& row) {
  const KernelResult& kernel = *row.kernel;
  Json json = json_object(kernel_columns(), row);
  json["total_interval_us"] = kernel.in_context_s ? interval_us(*kernel.in_context_s) : Json();
  json["timed_together"] = kernel.timed_together;
  if (row.of->energy && kernel.energy)
    json["energy"] = energy_json(*kernel.energy, kernel.count, *row.of->energy);
  return json;
}

/// Returns key, time and meaning of each quantity, in the order of the printed report.
Json quantities_json(const Comparison& c) {
  Json list = Json::array();
  for (const NamedTime& one : quantities_of(c))
    list.push_back({{"name", one.key}, {"us", optional_us(one.seconds)}, {"meaning", one.meaning}});
  return list;
}

Json tier_breakdown(const Comparison& comparison) {
  Json tiers;
  for (const Tier tier : {Tier::cuda_runtime, Tier::vendor_library, Tier::framework, Tier::unknown}) {
    size_t unique = 0;
    double total = 0;
    for (const KernelResult& kernel : comparison.kernels) {
      if (kernel.tier != tier) continue;
      ++unique;
      if (kernel.in_context_s) total += kernel.in_context_s->value;
    }
    tiers[tier_key(tier)] = {{"method", tier_method(comparison.run, tier)},
                             {"unique_kernels", unique},
                             {"total_us", us(total)},
                             {"percentage_of_predicted", 100 * total / comparison.times.sum_s.value}};
  }
  return tiers;
}

}  // namespace

namespace {

std::string cuda_tier_method(Tier tier) {
  switch (tier) {
    case Tier::cuda_runtime:
      return "the program's own memcpy and memset operations as CUDA-graph nodes, in its process";
    case Tier::vendor_library:
      return "the vendor library's own kernels as CUDA-graph nodes, in the program's process";
    case Tier::framework:
      return "the framework's own kernels as CUDA-graph nodes, in the program's process";
    case Tier::unknown:
      break;
  }
  return "the program's own kernels as CUDA-graph nodes, in its process";
}

}  // namespace

std::string tier_method(const nlohmann::json& run, Tier tier) {
  const std::string kind = run.value("/device/kind"_json_pointer, "");
  if (kind == "simulated") return "replayed on the simulated device";
  if (kind == "cuda") return cuda_tier_method(tier);
  switch (tier) {
    case Tier::cuda_runtime:
      return "none on the CPU";
    case Tier::vendor_library:
      return "ATen operators that call oneDNN or MKL, through libtorch's dispatcher";
    case Tier::framework:
      return "ATen operators through libtorch's dispatcher";
    case Tier::unknown:
      break;
  }
  return "none";
}

RunStatistics run_statistics(const std::vector<double>& run_s) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  if (run_s.empty()) return {kUnknown, kUnknown, kUnknown, kUnknown, kUnknown, kUnknown};
  std::vector<double> sorted = run_s;
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<double>(sorted.size());
  const double mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / n;
  double squares = 0;
  for (const double value : sorted) squares += (value - mean) * (value - mean);
  const auto at = [&](double q) {
    const double place = q * (n - 1);
    const auto low = static_cast<size_t>(place);
    const size_t high = std::min(low + 1, sorted.size() - 1);
    return sorted[low] + (place - static_cast<double>(low)) * (sorted[high] - sorted[low]);
  };
  const double error = n > 1 ? std::sqrt(squares / (n - 1) / n) : 0;
  return {us(mean), us(sorted.front()), us(sorted.back()), us(at(0.5)), us(at(0.95)), us(error)};
}

Json full_model_timing(const nlohmann::json& run, const ProgramIterations& full) {
  const RunStatistics s = run_statistics(full.run_s);
  Json json{{"full_model_inference_us", known(s.mean_us)},
            {"full_model_inference_ms", known(s.mean_us / 1e3)},
            {"min_time_us", known(s.min_us)},
            {"max_time_us", known(s.max_us)},
            {"median_time_us", known(s.median_us)},
            {"p95_time_us", known(s.p95_us)},
            {"standard_error_us", known(s.standard_error_us)},
            {"num_runs", full.run_s.size()},
            {"warmup_runs", full.warmup},
            {"start_timestamp", full.start_timestamp},
            {"end_timestamp", full.end_timestamp}};
  std::vector<double> runs_us;
  for (const double run_time : full.run_s) runs_us.push_back(us(run_time));
  json["run_times_us"] = runs_us;
  json["load_pattern"] = Json();
  json["power_meter"] = Json();
  json["run"] = run;
  return json;
}

namespace {

/// Adds the sum and the program's own iteration under the names of the published comparison_report.json, and
/// the error of the sum, without sign.
void add_published_times(const Comparison& c, Json& json) {
  const std::optional<double> actual_s = c.program_iteration_s();
  const double predicted_s = c.times.sum_s.value;
  json["full_model_inference_us"] = optional_us(actual_s);
  json["predicted_from_kernels_us"] = us(predicted_s);
  json["error_percent"] =
      actual_s && *actual_s > 0 ? Json(100 * std::abs(predicted_s - *actual_s) / *actual_s) : Json();
}

}  // namespace

Json comparison_report(const Comparison& c, size_t top) {
  const double whole = c.times.whole_s.value;
  Json json{{"schema", kSchema},
            {"quantities", quantities_json(c)},
            {"compared", {"sum_us", "whole_us"}},
            {"program_iteration_us", optional_us(c.program_iteration_s())},
            {"whole_us", us(whole)},
            {"whole_interval_us", interval_us(c.times.whole_s)},
            {"sum_us", us(c.times.sum_s.value)},
            {"sum_interval_us", interval_us(c.times.sum_s)},
            {"sum_half_width_percent", 100 * c.times.sum_s.half_width / whole},
            {"requested_half_width_percent", 100 * c.stopped.precision},
            {"requested_within_percent", 100 * c.requested.time},
            {"sum_error_us", us(c.times.sum_s.value - whole)},
            {"sum_error_percent", 100 * c.error()},
            {"within_percent", 100 * c.judgement.within},
            {"verdict", to_string(c.judgement.verdict)},
            {"verdict_reason", c.judgement.reason},
            {"findings", c.findings}};
  add_published_times(c, json);
  json["iteration"] = c.iteration;
  json["ranges"] = ranges_json(c.ranges);
  json["part"] = part_json(c);
  json["iteration_spread"] = iteration_spread_json(c);
  json["own_iteration_us"] = c.times.own_iteration_s ? Json(us(c.times.own_iteration_s->value)) : Json();
  json["own_iteration_interval_us"] =
      c.times.own_iteration_s ? interval_us(*c.times.own_iteration_s) : Json();
  json["overlapped_whole_us"] = c.overlapped_s ? Json(us(c.overlapped_s->value)) : Json();
  json["overlapped_whole_interval_us"] = c.overlapped_s ? interval_us(*c.overlapped_s) : Json();
  json["launch_gaps_us"] = optional_us(launch_gaps_s(c));
  json["iteration_division"] = division_json(c);
  json["isolated_sum_us"] = optional_us(c.isolated_sum_s);
  if (c.undisturbed_s)
    json["kernel_time"] =
        "from the moment when a dependent one-thread kernel could run after the launch before it to the "
        "moment when one could run after this launch, in the unbroken iteration";
  json["half_of_places"] = half_of_places_json(c);
  json["timed_together_percent"] = 100 * c.timed_together_share;
  json["other_starts"] = other_starts_json(c);
  json["start_spread_of_other_programs"] = c.quoted_spread ? Json(write_fields(*c.quoted_spread)) : Json();
  json["timeline_difference_percent"] = c.timeline_difference ? Json(100 * *c.timeline_difference) : Json();
  json["timeline"] = c.timeline ? timeline_json(*c.timeline) : Json();
  json["undisturbed_whole_us"] = optional_us(c.undisturbed_s);
  json["control"] = control_json(c);
  json["whole_clock_mhz"] = optional_mhz(c.times.whole_clock_hz);
  json["sum_clock_mhz"] = optional_mhz(c.times.sum_clock_hz);
  json["energy"] = c.energy ? energy_json(*c.energy) : Json();
  if (const auto items = items_of(c.run)) json["per_item"] = per_item_json(c, *items);
  if (!c.ranks.empty()) {
    json["group"] = group_json(c.ranks);
    json["ranks"] = ranks_json(c.ranks);
    json["energy_of_ranks"] = energy_of_ranks_json(c.ranks);
    json["collectives"] = collectives_json(c);
    if (c.watched) json["program_iterations_of_ranks"] = watched_json(*c.watched);
  }
  json["paused_s"] = or_null(c.paused_s);
  json["rounds"] = c.times.rounds;
  json["stopped_by"] = c.stopped.by;
  json["residual"] = c.residual;
  json["tier_breakdown"] = tier_breakdown(c);
  const KernelNames names = names_of(c.kernels);
  Json kernels = Json::array();
  for (size_t k = 0; k < std::min(top, c.kernels.size()); ++k)
    kernels.push_back(kernel_json({&c.kernels[k], &names, &c}));
  json["top_kernels"] = std::move(kernels);
  Json missing = Json::array();
  for (const KernelResult& kernel : c.kernels)
    if (!kernel.in_context_s)
      missing.push_back({{"name", kernel.name},
                         {"short_name", names.short_name(kernel.name)},
                         {"count", kernel.count},
                         {"error", kernel.error}});
  json["missing_kernels"] = std::move(missing);
  if (c.replayed) json["replayed_from_signatures"] = replay_summary(c.run, *c.replayed);
  json["verification"] = c.verification ? Json(write_fields(*c.verification)) : Json();
  json["run"] = c.run;
  return json;
}

}  // namespace kjoule
