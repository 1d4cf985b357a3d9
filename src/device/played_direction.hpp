#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace kjoule {

/// What one direction of an operator takes when the kernels that it launched are played by themselves, over
/// and over, without the host. Numbers that were not measured are not there.
struct PlayedDirection {
  std::map<std::string, int64_t> kernels{};  ///< how many launches of each name
  std::optional<double> graph_us{};
  std::optional<double> graph_half_width_us{};  ///< 95 %
  std::string graph_missing{};                  ///< why there is no graph_us, and nothing below
  std::optional<double> energy_j{}, watts{};
  std::string energy_missing{};  ///< why there are no joules
  std::optional<double> clock_mhz{};
  bool behind_filler = false;        ///< read among launches that draw little, which were taken off
  std::vector<std::string> flags{};  ///< what to doubt
  bool operator==(const PlayedDirection&) const = default;
};

/// Its fields of a sample's direction, added to `json`.
void add_played(const PlayedDirection& played, nlohmann::ordered_json& json);
/// Nothing where the direction was not played. Throws nlohmann::json::exception for what is none.
std::optional<PlayedDirection> played_direction(const nlohmann::json& json);

}  // namespace kjoule
