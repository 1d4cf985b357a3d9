#pragma once
#include <string>

#include "model_prediction/combined_error.hpp"
#include "sampling/device_roofs.hpp"

namespace kjoule {

/// Share of the data sheet's bytes/s that kernels reach: 4.18 to 4.23 of 4.8 TB/s on H200s
/// (measurements/layers.jsonl, roof_byte_per_s).
inline constexpr double kReachedBandwidth = 0.88;

/// Returns the time in us of moving `bytes` bytes from or to the device's memory at the reached bandwidth.
double memory_us(const DeviceRoofs& roofs, double bytes);

/// Estimates the time in us of work for which there are no samples. The low end is the time at the data
/// sheet's rates. The value is twice this time and the high end five times, because the sampled operators
/// that move bytes reach 20 to 95 % of these rates; both contain a fixed cost of a launch. Throws Error if
/// the data sheet has no rate for FLOPs of this precision.
Estimate estimate_at_roofs(const DeviceRoofs& roofs, const std::string& precision, double flops,
                           double bytes);

}  // namespace kjoule
