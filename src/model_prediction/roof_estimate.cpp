#include "model_prediction/roof_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace kjoule {

namespace {

constexpr double kTypicalRatio = 2, kLargestRatio = 5;
/// Time in us of a kernel with next to no work: 0.8 (a chain of empty kernels) to 4 us (the smallest sampled
/// matrix product) on H200s; 1.4 us is that of the smallest sampled addition.
constexpr double kLeastLaunchUs = 0.8, kLaunchUs = 1.4, kLongLaunchUs = 4;

}  // namespace

double memory_us(const DeviceRoofs& roofs, double bytes) {
  return 1e6 * bytes / (kReachedBandwidth * roofs.bytes_per_s);
}

Estimate estimate_at_roofs(const DeviceRoofs& roofs, const std::string& precision, double flops,
                           double bytes) {
  const double moving_us = 1e6 * bytes / roofs.bytes_per_s;
  double computing_us = 0;
  if (flops > 0) {
    const auto rate = roofs.flops_per_s.find(precision);
    if (rate == roofs.flops_per_s.end())
      throw Error(fmt::format("the data sheet has no rate for {} FLOPs", precision));
    computing_us = 1e6 * flops / rate->second;
  }
  const double least = std::max(moving_us, computing_us);
  // Bytes that fit into the cache may be moved faster than those of the memory.
  const double low = std::max(computing_us, bytes > roofs.cache_bytes ? moving_us : 0);
  return {kLaunchUs + kTypicalRatio * least, std::max(kLeastLaunchUs, low),
          kLongLaunchUs + kLargestRatio * least};
}

}  // namespace kjoule
