#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "device/sample_protocol.hpp"

namespace kjoule {

/// The highest rates of a device, which no measured time may exceed.
struct SamplingRoof {
  std::map<std::string, double> flops_per_s;  ///< FLOP/s by precision: "fp16"
  double bytes_per_s = 0;                     ///< bytes/s of the device's memory
  double cache_bytes = 0;                     ///< size of the cache: so many bytes need not come from memory
};

/// Reads roofs from JSON {"flops_per_s": {"fp16": ..}, "bytes_per_s": .., "cache_bytes": ..}. `file` is the
/// file name in errors. Throws Error for a number that is missing or not above 0.
SamplingRoof sampling_roof(const nlohmann::json& json, const std::string& file);
nlohmann::json to_json(const SamplingRoof& roof);
/// Returns the roofs of the device's data sheet (data/device_roofs.json); nothing for a device that the file
/// does not contain.
std::optional<SamplingRoof> known_roof(const std::string& device);

/// Returns why a device with these roofs cannot be as fast as the answer says, one reason for each direction
/// that is too fast.
std::vector<std::string> above_roof(const SamplingRoof& roof, const std::string& precision,
                                    const SampleAnswer& answer);

}  // namespace kjoule
