#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "device/sample_protocol.hpp"

namespace kjoule {

/// The peak rates of a device according to its data sheet, for all precisions. A measured time that would
/// need higher rates is wrong. (A Roof in device/roof.hpp contains the rates that were measured for one
/// precision.)
struct DeviceRoofs {
  std::map<std::string, double> flops_per_s;  ///< FLOP/s by precision: "fp16"
  double bytes_per_s = 0;                     ///< bytes/s of the device's memory
  double cache_bytes = 0;                     ///< size of the cache, whose bytes need not come from memory
};

/// Reads roofs from JSON {"flops_per_s": {"fp16": ..}, "bytes_per_s": .., "cache_bytes": ..}. `file` is the
/// file name in error messages. Throws Error if a number is missing or not above 0.
DeviceRoofs read_device_roofs(const nlohmann::json& json, const std::string& file);
nlohmann::json to_json(const DeviceRoofs& roofs);
/// Returns the roofs of the device's data sheet (data/device_roofs.json), or no value if the file does not
/// contain the device.
std::optional<DeviceRoofs> find_device_roofs(const std::string& device);
/// Returns the roofs of the device whose tables begin with this name (gpu_file_name()), as
/// find_device_roofs().
std::optional<DeviceRoofs> find_roofs_of_table(const std::string& gpu);
/// Returns the names of the devices in data/device_roofs.json.
std::vector<std::string> devices_with_roofs();

/// Returns why a device with these roofs cannot be as fast as the answer states, one reason for each
/// direction that is too fast.
std::vector<std::string> find_exceeded_roofs(const DeviceRoofs& roofs, const std::string& precision,
                                             const SampleAnswer& answer);

}  // namespace kjoule
