#include "device/observation.hpp"

#include "base/error.hpp"

namespace kjoule {

namespace {

nlohmann::json row_of(const Activity& activity) {
  return {static_cast<int>(activity.kind),
          activity.name,
          activity.stream,
          activity.begin_ns,
          activity.end_ns,
          activity.bytes,
          activity.correlation,
          activity.graph_node};
}

Activity activity_of(const nlohmann::json& row) {
  return {static_cast<ActivityKind>(row.at(0).get<int>()),
          row.at(1),
          row.at(2),
          row.at(3),
          row.at(4),
          row.at(5),
          row.at(6),
          row.at(7)};
}

}  // namespace

nlohmann::json to_json(const Observation& observation) {
  nlohmann::json iteration = nlohmann::json::array();
  for (const Activity& activity : observation.iteration) iteration.push_back(row_of(activity));
  return {{"launches", observation.audit.launches},
          {"activities", observation.audit.activities},
          {"differences", observation.audit.differences},
          {"differences_found", observation.audit.differences_found},
          {"iteration", std::move(iteration)},
          {"launch_s", observation.launch_s},
          {"launch_s_missing", observation.launch_s_missing}};
}

Observation observation_from_json(const nlohmann::json& json) {
  try {
    Observation observation;
    observation.audit = {json.at("launches"), json.at("activities"), json.at("differences"),
                         json.at("differences_found")};
    for (const auto& row : json.at("iteration")) observation.iteration.push_back(activity_of(row));
    observation.launch_s = json.at("launch_s").get<std::vector<double>>();
    observation.launch_s_missing = json.at("launch_s_missing");
    return observation;
  } catch (const nlohmann::json::exception& error) {
    throw Error(std::string("a timeline is damaged: ") + error.what(), "measure again without --resume");
  }
}

}  // namespace kjoule
