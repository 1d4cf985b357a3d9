#include "report/comparison_energy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json/optional_json.hpp"
#include "base/text/printable.hpp"
#include "base/text/signed_text.hpp"
#include "compare/judgement/judge.hpp"
#include "power/calibration.hpp"
#include "power/meters/meter.hpp"
#include "report/shown_interval.hpp"
#include "report/stop_text.hpp"
#include "report/wrapped.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;

Json ends(const Interval& interval) {
  return {interval.value - interval.half_width, interval.value + interval.half_width};
}

Json ends(const std::optional<Interval>& interval) {
  return interval ? ends(*interval) : Json();
}

template <typename T>
Json optional_json(const std::optional<T>& value, double factor = 1) {
  return value ? Json(*value * factor) : Json();
}

std::string line(const char* label, const Interval& interval, double factor, const char* unit, double whole) {
  const double width = 100 * interval.half_width / interval.value;
  return fmt::format("  {:<26} {:>12.2f} {:<2} {:<11}  {:>8} %\n", label, factor * interval.value, unit,
                     std::isfinite(width) ? fmt::format("+- {:>6.2f} %", width) : "+- unknown",
                     signed_text(100 * (interval.value / whole - 1), 2));
}

std::string energy_notes(const EnergyResult& energy) {
  std::string text;
  for (const std::string& note : energy.notes) text += wrapped("  - ", note);
  return text;
}

}  // namespace

std::string systematic_error_text(const EnergyResult& energy) {
  const nlohmann::json& facts = energy.meters.front().facts;
  if (const auto calibration = facts.find("calibration");
      calibration != facts.end() && calibration->is_object())
    return wrapped("  ", "systematic error of the meter: " +
                             calibrated_error_text(read_fields<Calibration>(*calibration, "calibration"),
                                                   energy.estimate.whole_w.value));
  const auto accuracy = get_optional<double>(facts, "accuracy_percent");
  if (!accuracy) return "";
  return wrapped("  ", fmt::format("systematic error of the meter: +-{:.3g} %, which is +-{:.3g} mJ of the "
                                   "whole; it changes all energies alike and is not in the intervals ({})",
                                   *accuracy, 10 * *accuracy * energy.estimate.whole_j.value,
                                   printable(facts.value("accuracy_from", ""))));
}

std::string sensor_rate_text(const EnergyResult& energy) {
  const nlohmann::json& facts = energy.meters.front().facts;
  const bool is_board =
      facts.value("scope", "") == scope_name(Scope::gpu) && facts.value("source", "") != "csv";
  // Results of older kjoule versions, which did not measure sampling rates, lack this key.
  if (!is_board || facts.value("sensor_rate_from", "before") != "") return "";
  return wrapped("  ", "the power sensor's sampling rate is not known: run kjoule power probe");
}

nlohmann::ordered_json energy_json(const EnergyResult& energy) {
  Json meters = Json::array();
  for (const MeterResult& meter : energy.meters) {
    Json one(meter.facts);
    one["whole_joules"] = meter.whole_j ? Json(meter.whole_j->value) : Json();
    meters.push_back(std::move(one));
  }
  Json json;
  if (!energy.missing.empty()) {
    json["missing"] = energy.missing;
  } else {
    json["own_iteration_joules"] = energy.own_j ? Json(energy.own_j->value) : Json();
    json["own_iteration_interval_joules"] = ends(energy.own_j);
    json["own_iteration_watts"] = energy.own_w ? Json(energy.own_w->value) : Json();
    json["own_iteration_above_idle_joules"] = optional_json(energy.own_net_j());
    json["whole_joules"] = energy.estimate.whole_j.value;
    json["whole_interval_joules"] = ends(energy.estimate.whole_j);
    json["whole_above_idle_joules"] = optional_json(energy.whole_net_j());
    json["sum_joules"] = energy.estimate.sum_j.value;
    json["sum_interval_joules"] = ends(energy.estimate.sum_j);
    json["by_differences_interval_joules"] = ends(energy.estimate.by_differences_j);
    json["by_replacement_interval_joules"] = ends(energy.estimate.by_replacement_j);
    json["half_width_percent"] = 100 * energy.estimate.sum_j.half_width / energy.estimate.whole_j.value;
    json["error_percent"] = 100 * energy.error();
    json["requested_within_percent"] = 100 * energy.requested_within;
    const Judgement verdict = judge_energy(energy);
    json["within_percent"] = 100 * verdict.within;
    json["verdict"] = to_string(verdict.verdict);
    json["verdict_reason"] = verdict.reason;
    json["whole_watts"] = energy.estimate.whole_w.value;
    json["whole_interval_watts"] = ends(energy.estimate.whole_w);
    json["sum_watts"] = energy.estimate.sum_w.value;
    json["sum_interval_watts"] = ends(energy.estimate.sum_w);
    json["watts_error_percent"] = 100 * (energy.estimate.sum_w.value / energy.estimate.whole_w.value - 1);
    json["whole_us"] = 1e6 * energy.estimate.whole_s.value;
    json["sum_us"] = 1e6 * energy.estimate.sum_s;
    json["restore_joules"] = energy.estimate.restore_j;
    json["restore_us"] = 1e6 * energy.estimate.restore_s;
    json["added_us"] = 1e6 * energy.estimate.added_s;
  }
  json["idle_watts"] = optional_json(energy.idle_w);
  json["whole_clock_mhz"] = optional_json(energy.estimate.whole_clock_hz, 1e-6);
  json["kernels_clock_mhz"] = optional_json(energy.estimate.kernels_clock_hz, 1e-6);
  json["temperature_c"] = {optional_json(energy.estimate.coldest_c),
                           optional_json(energy.estimate.warmest_c)};
  json["blocks"] = energy.blocks;
  json["measured_s"] = energy.seconds;
  json["stopped_by"] = energy.stopped;
  json["meters"] = std::move(meters);
  json["notes"] = energy.notes;
  return json;
}

nlohmann::ordered_json energy_json(const KernelJoules& energy, size_t count, const EnergyResult& all) {
  return {{"joules", energy.joules.value},
          {"interval_joules", ends(energy.joules)},
          {"each_joules", energy.joules.value / static_cast<double>(count)},
          {"watts", optional_json(energy.watts())},
          {"share_percent", 100 * energy.joules.value / all.estimate.sum_j.value},
          {"attributed_joules", energy.attributed_j},
          {"kernels_together", energy.together}};
}

std::string energy_text(const Comparison& comparison) {
  if (!comparison.energy) return {};
  const EnergyResult& energy = *comparison.energy;
  if (!energy.missing.empty()) {
    const char* of = energy.whole ? "energies of kernels" : "energy";
    return "\n" + wrapped("  ", fmt::format("{}: not measured: {}", of, energy.missing)) +
           energy_notes(energy);
  }
  std::string text = fmt::format("\n  energy of an iteration, by {}\n",
                                 energy.meters.front().facts.value("source", "a meter"));
  text += line("whole", energy.estimate.whole_j, 1e3, "mJ", energy.estimate.whole_j.value);
  text += line("sum of kernels", energy.estimate.sum_j, 1e3, "mJ", energy.estimate.whole_j.value);
  if (energy.estimate.by_replacement_j) {
    text +=
        line("- by differences", energy.estimate.by_differences_j, 1e3, "mJ", energy.estimate.whole_j.value);
    text +=
        line("- by replacement", *energy.estimate.by_replacement_j, 1e3, "mJ", energy.estimate.whole_j.value);
  }
  text += line("whole, mean power", energy.estimate.whole_w, 1, "W", energy.estimate.whole_w.value);
  text += line("sum of kernels, mean power", energy.estimate.sum_w, 1, "W", energy.estimate.whole_w.value);
  const std::string systematic = systematic_error_text(energy);
  text += sensor_rate_text(energy);
  text += systematic.empty()
              ? wrapped("  ", "systematic error of the meter: not known; it is not in the intervals")
              : systematic;
  text += wrapped("  ", fmt::format("{} blocks were measured in {:.0f} s{}", energy.blocks, energy.seconds,
                                    stop_text(energy.stopped)));
  text += energy_notes(energy);
  return text;
}

}  // namespace kjoule
