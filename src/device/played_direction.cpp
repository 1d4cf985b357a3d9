#include "device/played_direction.hpp"

#include "base/optional_json.hpp"

namespace kjoule {

void add_played(const PlayedDirection& played, nlohmann::ordered_json& json) {
  json["kernels"] = nlohmann::json::array();
  for (const auto& [name, count] : played.kernels)
    json["kernels"].push_back({{"name", name}, {"count", count}});
  json["graph_us"] = or_null(played.graph_us);
  json["graph_interval_us"] = nullptr;
  if (played.graph_us && played.graph_half_width_us)
    json["graph_interval_us"] = {*played.graph_us - *played.graph_half_width_us,
                                 *played.graph_us + *played.graph_half_width_us};
  if (!played.graph_missing.empty()) json["graph_missing"] = played.graph_missing;
  json["energy_j"] = or_null(played.energy_j);
  json["watts"] = or_null(played.watts);
  if (!played.energy_missing.empty()) json["energy_missing"] = played.energy_missing;
  json["clock_mhz"] = or_null(played.clock_mhz);
  json["behind_filler"] = played.behind_filler;
  json["flags"] = played.flags;
}

std::optional<PlayedDirection> played_direction(const nlohmann::json& json) {
  if (!json.contains("graph_us")) return {};
  PlayedDirection played;
  for (const auto& kernel : json.at("kernels"))
    played.kernels[kernel.at("name")] = kernel.at("count").get<int64_t>();
  played.graph_us = if_there<double>(json, "graph_us");
  if (const auto& interval = json.at("graph_interval_us"); !interval.is_null())
    played.graph_half_width_us = (interval.at(1).get<double>() - interval.at(0).get<double>()) / 2;
  played.graph_missing = json.value("graph_missing", "");
  played.energy_j = if_there<double>(json, "energy_j");
  played.watts = if_there<double>(json, "watts");
  played.energy_missing = json.value("energy_missing", "");
  played.clock_mhz = if_there<double>(json, "clock_mhz");
  played.behind_filler = json.at("behind_filler");
  played.flags = json.at("flags").get<std::vector<std::string>>();
  return played;
}

}  // namespace kjoule
