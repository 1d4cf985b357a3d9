#include "report/energy_reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "base/json/optional_json.hpp"
#include "power/timestamp.hpp"
#include "report/energy_columns.hpp"
#include "report/interval_json.hpp"
#include "report/watt_hours.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;

std::optional<Interval> divided(const std::optional<Interval>& reading, const std::optional<int64_t>& by) {
  if (!reading || !by || *by <= 0) return {};
  const auto n = static_cast<double>(*by);
  return Interval{reading->value / n, reading->half_width / n};
}

Json total_and_per_run(const std::optional<Interval>& total, const std::optional<int64_t>& runs,
                       double factor, bool with_interval) {
  const auto per_run = divided(total, runs);
  Json json{{"total", value_json(total, factor)}, {"per_run", value_json(per_run, factor)}};
  if (with_interval) {
    json["total_interval"] = interval_json(total, factor);
    json["per_run_interval"] = interval_json(per_run, factor);
    const bool known_share = total && total->value > 0;
    json["half_width_percent"] = known_share ? Json(100 * total->half_width / total->value) : Json();
  }
  return json;
}

/// Returns the energy minus idle power x time. The time is the length of the window; for a kernel that shares
/// a window with others, it is the kernel's part of the window.
std::optional<Interval> above_idle(const WindowEnergy& energy, const EnergySource& source) {
  if (!energy.joules || !source.idle_w) return {};
  const bool known = energy.average_w != 0;
  const double seconds = known ? energy.joules->value / energy.average_w : energy.window.seconds();
  return Interval{energy.joules->value - source.idle_w->value * seconds,
                  std::hypot(energy.joules->half_width, source.idle_w->half_width * seconds)};
}

Json gaps(const WindowEnergy& energy) {
  Json list = Json::array();
  for (const PowerWindow& gap : energy.gaps)
    list.push_back({{"start_timestamp", local_timestamp(gap.begin_ns)},
                    {"end_timestamp", local_timestamp(gap.end_ns)},
                    {"seconds", gap.seconds()}});
  return list;
}

Json flags(const WindowEnergy& energy) {
  Json list = Json::array();
  if (energy.few_samples) list.push_back("few samples");
  if (energy.frozen) list.push_back("frozen");
  if (!energy.gaps.empty()) list.push_back("gaps");
  return list;
}

/// Returns the fields of the whole, which energy_report.json and gpu_energy_report.json both contain.
Json whole_json(const TimedEnergy& full, const EnergySource& source) {
  const WindowEnergy& energy = full.energy;
  Json json{{"duration_seconds", energy.window.seconds()},
            {"num_power_samples", energy.samples},
            {"num_runs", or_null(full.runs)}};
  const auto power = [&](double watts) { return energy.joules ? Json(watts) : Json(); };
  json["power_watts"] = {
      {"average", power(energy.average_w)}, {"peak", power(energy.peak_w)}, {"min", power(energy.min_w)}};
  json["energy_joules"] = total_and_per_run(energy.joules, full.runs, 1, true);
  json["energy_wh"] = total_and_per_run(energy.joules, full.runs, 1 / kJoulesPerWh, false);
  if (source.idle_w)
    json["energy_above_idle_joules"] = total_and_per_run(above_idle(energy, source), full.runs, 1, true);
  json["start_timestamp"] = full.start_timestamp;
  json["end_timestamp"] = full.end_timestamp;
  json["flags"] = flags(energy);
  json["gaps"] = gaps(energy);
  json["silent_seconds"] = silent_seconds(energy);
  json["bridged_seconds"] = energy.joules ? Json(energy.bridged_s) : Json();
  if (!energy.missing.empty()) json["missing"] = energy.missing;
  return json;
}

Json source_json(const EnergySource& source, double sample_interval_s) {
  Json json{
      {"power_log", source.path},
      {"format", source.format},
      {"series", source.series},
      {"scope", source.meter.scope},
      {"method", "trapezoids between readings, edges interpolated"},
      {"resolution_seconds", sample_interval_s},
      {"averaging_seconds", source.lag.averaging_s},
      {"averaging_from", source.lag.from},
      {"delay_seconds", source.lag.delay_s},
      {"power_step_watts", or_null(source.power_step_w)},
      {"offset_seconds", source.offset_s},
      {"offset_interval_seconds", interval_json(source.found_offset_s)},
      {"accuracy_percent", source.meter.accuracy ? Json(100 * *source.meter.accuracy) : Json()},
      {"accuracy_from", source.meter.accuracy_from},
      {"calibration", source.meter.calibration ? Json(write_fields(*source.meter.calibration)) : Json()}};
  json["idle_watts"] = value_json(source.idle_w);
  if (source.idle_w) {
    json["idle_interval_watts"] = interval_json(source.idle_w);
    json["idle_from"] = source.idle_from;
  }
  json["interval"] = "95 %, of sampling; the meter's own accuracy is not in it";
  return json;
}

Json kernel_json(const KernelEnergy& kernel, const EnergySource& source, const KernelNames& names) {
  const WindowEnergy& energy = kernel.timed.energy;
  Json json = json_object(logged_energy_columns(), {&kernel.timed, &kernel, &names});
  json["group"] = kernel.group.empty() ? Json() : Json(kernel.group);
  if (source.idle_w) {
    const auto above = divided(above_idle(energy, source), kernel.timed.runs);
    json["energy_above_idle_joules_each"] = value_json(above);
    json["energy_above_idle_joules_total"] = value_json(above, static_cast<double>(kernel.count));
  }
  json["flags"] = flags(energy);
  if (!energy.missing.empty()) json["missing"] = energy.missing;
  json["signature"] = kernel.signature;
  return json;
}

Json sum_json(const KernelSum& sum) {
  return {{"kernels", sum.kernels},
          {"measured", sum.measured},
          {"unmeasured", sum.kernels - sum.measured},
          {"flagged", sum.flagged},
          {"measured_time_percent", sum.covered_share ? Json(100 * *sum.covered_share) : Json()},
          {"measured_energy_joules", value_json(sum.joules)},
          {"measured_energy_interval_joules", interval_json(sum.joules)}};
}

Json context_json(const LogEnergies& energies) {
  const auto compared = compare_in_context(energies);
  if (!compared) return {};
  return {{"predicted_joules", compared->sum_j.value},
          {"predicted_interval_joules", interval_json(compared->sum_j)},
          {"whole_joules", compared->whole_j.value},
          {"whole_interval_joules", interval_json(compared->whole_j)},
          {"error_signed_percent", 100 * compared->error()},
          {"agrees", compared->agrees()},
          {"from", "power of each block in the log x time in context"}};
}

Json comparison_json(const LogEnergies& energies, const KernelSum& sum) {
  const auto whole = energies.full ? energies.full->each_j() : std::nullopt;
  const bool both = whole && sum.joules && whole->value > 0;
  const double error = both ? sum.joules->value / whole->value - 1 : 0;
  const auto percent = [&](double share) { return both ? Json(100 * share) : Json(); };
  return {{"full_model_joules_per_run", value_json(whole)},
          {"full_model_interval_joules", interval_json(whole)},
          {"predicted_joules_per_run", value_json(sum.joules)},
          {"predicted_interval_joules", interval_json(sum.joules)},
          {"predicted_from", "measured kernels only: joules of one launch x count"},
          {"complete", sum.kernels > 0 && sum.measured == sum.kernels},
          {"measured_time_percent", sum.covered_share ? Json(100 * *sum.covered_share) : Json()},
          {"error_joules", both ? Json(sum.joules->value - whole->value) : Json()},
          {"error_percent", percent(std::abs(error))},
          {"error_signed_percent", percent(error)},
          {"in_context", context_json(energies)}};
}

double sample_interval_of(const LogEnergies& energies) {
  if (energies.full) return energies.full->energy.sample_interval_s;
  return energies.kernels.empty() ? 0 : energies.kernels.front().timed.energy.sample_interval_s;
}

/// Returns a warning about work that ran only in a part of its window. There must be such work.
std::string idling_warning(const LogEnergies& energies) {
  const IdlingWork& first = energies.idling.front();
  const std::string what = first.kernel.empty() ? first.what : names_of(energies).shown(first.kernel);
  const std::string others = energies.idling.size() > 1
                                 ? fmt::format(", and {} others in less than {:.0f} % of their windows",
                                               energies.idling.size() - 1, 100 * kBusyShare)
                                 : "";
  return fmt::format(
      "{} ran in only {:.2g} % of its window{}; energy that was consumed between runs is included", what,
      100 * first.ran_share, others);
}

}  // namespace

KernelNames names_of(const LogEnergies& energies, NameStyle style, size_t length) {
  return KernelNames::of_all(
      energies.kernels, [](const KernelEnergy& kernel) { return kernel.name; }, style, length);
}

std::vector<std::string> warnings_of(const LogEnergies& energies) {
  std::vector<std::string> warnings = energies.source.warnings;
  if (!energies.idling.empty()) warnings.push_back(idling_warning(energies));
  return warnings;
}

Json energy_report(const LogEnergies& energies) {
  Json json = whole_json(energies.full.value(), energies.source);
  json["source"] = source_json(energies.source, sample_interval_of(energies));
  json["timing"] = energies.full_timing;
  json["warnings"] = warnings_of(energies);
  return json;
}

Json gpu_energy_report(const LogEnergies& energies) {
  const KernelSum sum = sum_of(energies.kernels);
  Json json;
  json["full_model"] = energies.full ? whole_json(*energies.full, energies.source) : Json();
  json["isolated_kernels"] = sum_json(sum);
  Json& tiers = json["isolated_kernels"]["tier_breakdown"];
  for (const Tier tier : {Tier::cuda_runtime, Tier::vendor_library, Tier::framework, Tier::unknown})
    tiers[tier_key(tier)] = sum_json(sum_of(energies.kernels, tier));
  json["comparison"] = comparison_json(energies, sum);
  Json list = Json::array();
  const KernelNames names = names_of(energies);
  for (const KernelEnergy& kernel : energies.kernels)
    list.push_back(kernel_json(kernel, energies.source, names));
  json["per_kernel"] = std::move(list);
  json["source"] = source_json(energies.source, sample_interval_of(energies));
  json["timing"] = energies.kernels_timing;
  json["warnings"] = warnings_of(energies);
  return json;
}

}  // namespace kjoule
