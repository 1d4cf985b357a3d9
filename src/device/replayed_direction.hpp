#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace kjoule {

/// Time and energy of one direction of an operator whose kernels are repeated back to back as a CUDA graph,
/// without launch gaps. A value that was not measured is empty.
struct ReplayedDirection {
  /// Kernel names, each with its number of launches in the direction.
  std::map<std::string, int64_t> kernels{};
  std::optional<double> graph_us{};
  std::optional<double> graph_half_width_us{};  ///< half-width of the 95 % confidence interval of graph_us
  /// The reason if graph_us and the values after it are not available; otherwise empty.
  std::string graph_missing{};
  std::optional<double> energy_j{}, watts{};
  std::string energy_missing{};  ///< the reason if energy_j is not available; otherwise empty
  std::optional<double> clock_mhz{};
  /// Whether a filler was interleaved with the kernels. The energy of the filler is already subtracted.
  bool with_filler = false;
  std::vector<std::string> flags{};  ///< reasons to doubt the values
  bool operator==(const ReplayedDirection&) const = default;
};

/// Adds the fields of `replay` to `json`, the object of one direction of a sample.
void add_replayed(const ReplayedDirection& replay, nlohmann::ordered_json& json);
/// Reads the fields that add_replayed() wrote; nothing if the direction was not replayed. Throws
/// nlohmann::json::exception for invalid fields.
std::optional<ReplayedDirection> replayed_direction(const nlohmann::json& json);

}  // namespace kjoule
