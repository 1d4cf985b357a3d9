#include "measure/energy_block.hpp"

#include "base/error.hpp"
#include "base/optional_json.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::json;

std::optional<double> optional_number(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

Json to_json(const SteadyReading& reading) {
  Json mean_w = Json::array();
  for (const auto& watts : reading.mean_w) mean_w.push_back(or_null(watts));
  return {{"repeat_s", reading.repeat_s},
          {"pause_s", reading.pause_s},
          {"mean_w", std::move(mean_w)},
          {"clock_hz", or_null(reading.clock_hz)},
          {"temperature_c", or_null(reading.temperature_c)},
          {"slowed_by", reading.slowed_by},
          {"begin_ns", reading.begin_ns},
          {"end_ns", reading.end_ns}};
}

SteadyReading reading_from(const Json& json) {
  SteadyReading reading;
  reading.repeat_s = json.at("repeat_s");
  reading.pause_s = json.at("pause_s");
  for (const Json& watts : json.at("mean_w")) reading.mean_w.push_back(optional_number(watts));
  reading.clock_hz = optional_number(json.at("clock_hz"));
  reading.temperature_c = optional_number(json.at("temperature_c"));
  reading.slowed_by = json.at("slowed_by").get<std::vector<std::string>>();
  reading.begin_ns = json.at("begin_ns");
  reading.end_ns = json.at("end_ns");
  return reading;
}

Json to_json(const std::vector<SteadyReading>& readings) {
  Json all = Json::array();
  for (const SteadyReading& reading : readings) all.push_back(to_json(reading));
  return all;
}

std::vector<SteadyReading> readings_from(const Json& json) {
  std::vector<SteadyReading> all;
  for (const Json& each : json) all.push_back(reading_from(each));
  return all;
}

}  // namespace

nlohmann::json to_row(const EnergyPlan& plan) {
  Json groups = Json::array();
  for (const EnergyGroup& group : plan.groups)
    groups.push_back({{"kernels", group.kernels}, {"launches", group.launches}, {"time_s", group.time_s}});
  return {
      {"kind", "energy_plan"},         {"groups", std::move(groups)}, {"iteration_s", plan.iteration_s},
      {"iterations", plan.iterations}, {"cold", plan.cold},           {"settle_s", plan.settle_s},
      {"span_s", plan.span_s},         {"meters", plan.meters},       {"put_back", to_json(plan.put_back)},
      {"paused", to_json(plan.paused)}};
}

EnergyPlan energy_plan_from_row(const nlohmann::json& row) {
  try {
    EnergyPlan plan;
    for (const Json& group : row.at("groups"))
      plan.groups.push_back({group.at("kernels").get<std::vector<uint32_t>>(),
                             group.at("launches").get<std::vector<LaunchIndex>>(),
                             group.at("time_s").get<double>()});
    plan.iteration_s = row.at("iteration_s");
    plan.iterations = row.at("iterations");
    plan.cold = row.at("cold");
    plan.settle_s = row.at("settle_s");
    plan.span_s = row.at("span_s");
    plan.put_back = readings_from(row.at("put_back"));
    plan.paused = readings_from(row.at("paused"));
    plan.meters = row.at("meters").get<std::vector<Json>>();
    return plan;
  } catch (const Json::exception& error) {
    throw Error(std::string("the plan of energies in results.jsonl is damaged: ") + error.what(),
                "measure again without --resume");
  }
}

nlohmann::json to_row(const EnergyBlock& block) {
  return {{"kind", "energy_block"},
          {"block", block.number},
          {"group", block.group},
          {"whole", to_json(block.whole)},
          {"with", to_json(block.with)},
          {"without", to_json(block.without)},
          {"begin_ns", block.whole.begin_ns},
          {"end_ns", block.with.back().end_ns},
          {"spent_ns", block.spent_ns}};
}

EnergyBlock energy_block_from_row(const nlohmann::json& row) {
  try {
    return {row.at("block"),
            row.at("group"),
            reading_from(row.at("whole")),
            readings_from(row.at("with")),
            readings_from(row.at("without")),
            row.at("spent_ns")};
  } catch (const Json::exception& error) {
    throw Error(std::string("a block of energies in results.jsonl is damaged: ") + error.what(),
                "measure again without --resume");
  }
}

}  // namespace kjoule
