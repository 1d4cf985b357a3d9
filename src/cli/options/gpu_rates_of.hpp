#pragma once
#include <optional>
#include <string>

#include "prediction/gpu_rates.hpp"
#include "sampling/device_roofs.hpp"

namespace kjoule {

/// Returns the peak rates of roofs for one precision; nothing if the data sheet has no rate for it.
inline std::optional<GpuRates> rates_for(const DeviceRoofs& roofs, const std::string& precision) {
  const auto rate = roofs.flops_per_s.find(precision);
  if (rate == roofs.flops_per_s.end()) return {};
  return GpuRates{rate->second, roofs.bytes_per_s, roofs.cache_bytes, precision == "fp32" ? 4.0 : 2.0};
}

/// Returns the peak rates of the GPU of a table, such as NVIDIAH200; nothing if kjoule has no data sheet of
/// it.
inline std::optional<GpuRates> rates_of(const std::string& gpu, const std::string& precision) {
  const auto roofs = find_roofs_of_table(gpu);
  return roofs ? rates_for(*roofs, precision) : std::nullopt;
}

}  // namespace kjoule
