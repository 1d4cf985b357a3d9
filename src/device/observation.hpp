#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "recording/activity.hpp"

namespace kjoule {

/// What the device's own timeline says of the recorded iteration: an account that no measurement of ours
/// enters.
struct Observation {
  Audit audit;                      ///< the recorded launches against what ran
  std::vector<Activity> iteration;  ///< as the program ran it, by begin; device time
  /// Each recorded launch inside the played whole: its duration and the gap before it, s, median over plays.
  std::vector<double> launch_s;
  std::string launch_s_missing;  ///< why launch_s is empty
};

nlohmann::json to_json(const Observation& observation);
/// Throws Error naming the field that is missing or wrong.
Observation observation_from_json(const nlohmann::json& json);

}  // namespace kjoule
