#include "device/replayed_direction.hpp"

#include "base/json/optional_json.hpp"

namespace kjoule {

void add_replayed(const ReplayedDirection& replay, nlohmann::ordered_json& json) {
  json["kernels"] = nlohmann::json::array();
  for (const auto& [name, count] : replay.kernels)
    json["kernels"].push_back({{"name", name}, {"count", count}});
  json["graph_us"] = or_null(replay.graph_us);
  json["graph_interval_us"] = nullptr;
  if (replay.graph_us && replay.graph_half_width_us)
    json["graph_interval_us"] = {*replay.graph_us - *replay.graph_half_width_us,
                                 *replay.graph_us + *replay.graph_half_width_us};
  if (!replay.graph_missing.empty()) json["graph_missing"] = replay.graph_missing;
  json["energy_j"] = or_null(replay.energy_j);
  json["watts"] = or_null(replay.watts);
  if (!replay.energy_missing.empty()) json["energy_missing"] = replay.energy_missing;
  json["clock_mhz"] = or_null(replay.clock_mhz);
  json["with_filler"] = replay.with_filler;
  json["flags"] = replay.flags;
}

std::optional<ReplayedDirection> replayed_direction(const nlohmann::json& json) {
  if (!json.contains("graph_us")) return {};
  ReplayedDirection replay;
  for (const auto& kernel : json.at("kernels"))
    replay.kernels[kernel.at("name")] = kernel.at("count").get<int64_t>();
  replay.graph_us = get_optional<double>(json, "graph_us");
  if (const auto& interval = json.at("graph_interval_us"); !interval.is_null())
    replay.graph_half_width_us = (interval.at(1).get<double>() - interval.at(0).get<double>()) / 2;
  replay.graph_missing = json.value("graph_missing", "");
  replay.energy_j = get_optional<double>(json, "energy_j");
  replay.watts = get_optional<double>(json, "watts");
  replay.energy_missing = json.value("energy_missing", "");
  replay.clock_mhz = get_optional<double>(json, "clock_mhz");
  replay.with_filler = json.at("with_filler");
  replay.flags = json.at("flags").get<std::vector<std::string>>();
  return replay;
}

}  // namespace kjoule
