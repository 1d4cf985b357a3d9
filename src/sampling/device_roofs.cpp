#include "sampling/device_roofs.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/json/parse_json.hpp"
#include "base/numbers/statistics.hpp"
#include "device_roofs_text.hpp"
#include "sampling/sample_name.hpp"

namespace kjoule {

namespace {

constexpr const char* kExample = "docs/guide/sampling.md shows a file of roofs";

double above_zero(const nlohmann::json& json, const std::string& key, const std::string& file) {
  const auto found = json.find(key);
  if (found == json.end()) throw Error(fmt::format("{}: the field {} is missing", file, key), kExample);
  if (!found->is_number() || !(found->get<double>() > 0))
    throw Error(fmt::format("{}: the field {} is not a number above 0", file, key), kExample);
  return found->get<double>();
}

}  // namespace

DeviceRoofs read_device_roofs(const nlohmann::json& json, const std::string& file) {
  if (!json.is_object() || !json.contains("flops_per_s") || !json.at("flops_per_s").is_object())
    throw Error(file + ": there is no object flops_per_s with a rate for each precision", kExample);
  DeviceRoofs roofs;
  for (const auto& [precision, rate] : json.at("flops_per_s").items())
    roofs.flops_per_s[precision] = above_zero(json.at("flops_per_s"), precision, file);
  roofs.bytes_per_s = above_zero(json, "bytes_per_s", file);
  roofs.cache_bytes = above_zero(json, "cache_bytes", file);
  return roofs;
}

nlohmann::json to_json(const DeviceRoofs& roofs) {
  return {{"flops_per_s", roofs.flops_per_s},
          {"bytes_per_s", roofs.bytes_per_s},
          {"cache_bytes", roofs.cache_bytes}};
}

std::optional<DeviceRoofs> find_device_roofs(const std::string& device) {
  const auto all = parse_json(kDeviceRoofs, "device_roofs");
  const auto found = all.find(device);
  if (found == all.end()) return {};
  return read_device_roofs(*found, "data/device_roofs.json");
}

std::optional<DeviceRoofs> find_roofs_of_table(const std::string& gpu) {
  const nlohmann::json all = parse_json(kDeviceRoofs, "device_roofs");
  for (const auto& [device, roofs] : all.items())
    if (gpu_file_name(device) == gpu) return read_device_roofs(roofs, "data/device_roofs.json");
  return {};
}

std::vector<std::string> devices_with_roofs() {
  std::vector<std::string> names;
  const auto all = parse_json(kDeviceRoofs, "device_roofs");
  for (const auto& [name, roofs] : all.items()) names.push_back(name);
  return names;
}

std::vector<std::string> find_exceeded_roofs(const DeviceRoofs& roofs, const std::string& precision,
                                             const SampleAnswer& answer) {
  std::vector<std::string> reasons;
  for (const auto& [name, direction] : answer.directions) {
    const double seconds = median(direction.passes_us) * 1e-6;
    const auto rate = roofs.flops_per_s.find(precision);
    if (direction.flops && rate != roofs.flops_per_s.end() && *direction.flops > rate->second * seconds)
      reasons.push_back(
          fmt::format("{}: {:.4g} FLOP in {:.4g} us are more than the GPU's peak of {:.4g} FLOP/s", name,
                      *direction.flops, seconds * 1e6, rate->second));
    else if (direction.least_bytes && *direction.least_bytes > roofs.cache_bytes &&
             *direction.least_bytes - roofs.cache_bytes > roofs.bytes_per_s * seconds)
      reasons.push_back(
          fmt::format("{}: {:.4g} bytes in {:.4g} us are more than the GPU's peak of {:.4g} bytes/s", name,
                      *direction.least_bytes, seconds * 1e6, roofs.bytes_per_s));
  }
  return reasons;
}

}  // namespace kjoule
