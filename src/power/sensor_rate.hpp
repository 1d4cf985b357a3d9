#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers/interval.hpp"

namespace kjoule {

/// The range, Hz, in which the sampling rate of a power sensor is searched.
inline constexpr double kLowestSensor_hz = 900, kHighestSensor_hz = 1600;

/// The sampling rate of the power sensor of a board.
struct SensorRate {
  std::string device{};  ///< "NVIDIA H200"
  std::string id{};      ///< UUID of the board
  std::string from{};    ///< a clause that states how the rate was found
  /// The rate in Hz, with its 95 % interval; absent if none was found in the searched range.
  std::optional<Interval> hz{};
  /// Why the probe failed; empty if it succeeded. A failed probe is repeated only on request.
  std::string failure{};
};

template <class Fields>
void describe(Fields& fields, SensorRate& rate) {
  fields("device", rate.device);
  fields("id", rate.id);
  fields("from", rate.from);
  fields("hz", rate.hz);
  fields.unless_empty("failure", rate.failure);
}

/// Returns the file of the sampling rates that the user measured: kjoule/sensor_rates.json in
/// $XDG_CONFIG_HOME or ~/.config; empty if neither is known.
std::filesystem::path sensor_rates_path();
/// Returns the rates in a file; none if there is no such file. Throws Error if the file exists but cannot be
/// read.
std::vector<SensorRate> read_sensor_rates(const std::filesystem::path& path);
/// Creates the folder of the file. Throws Error if it cannot be created, or if the file cannot be read.
void prepare_sensor_rates(const std::filesystem::path& path);
/// Stores a rate and removes an earlier one of the same board. Throws Error if the file cannot be read or
/// written; the file is then unchanged.
void store_sensor_rate(const std::filesystem::path& path, const SensorRate& rate);

/// Returns the rate of a board; no value if its sensor was never probed, or if the probe failed. The rate of
/// another board is never used: boards of two models had rates from 1206 to 1249 Hz.
std::optional<SensorRate> find_sensor_rate(const std::vector<SensorRate>& rates, const std::string& device,
                                           const std::string& id);

}  // namespace kjoule
