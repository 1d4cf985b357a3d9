#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "device/sample_protocol.hpp"

namespace kjoule {

/// What a device cannot be faster than.
struct SamplingRoof {
  std::map<std::string, double> flops_per_s;  ///< by precision: "fp16"
  double bytes_per_s = 0;                     ///< of its memory
  double cache_bytes = 0;                     ///< work that fits in there need not wait for memory
};

/// Out of JSON {"flops_per_s": {"fp16": ..}, "bytes_per_s": .., "cache_bytes": ..}; `file` is what errors
/// call it. Throws Error for a number that is missing or not above 0.
SamplingRoof sampling_roof(const nlohmann::json& json, const std::string& file);
nlohmann::json to_json(const SamplingRoof& roof);
/// By its data sheet (data/device_roofs.json); nothing for a device that is not in there.
std::optional<SamplingRoof> known_roof(const std::string& device);

/// Why no device with that roof can have been so fast, one reason a direction; empty when it can.
std::vector<std::string> above_roof(const SamplingRoof& roof, const std::string& precision,
                                    const SampleAnswer& answer);

}  // namespace kjoule
