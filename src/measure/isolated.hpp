#pragma once
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "measure/timed_iteration.hpp"

namespace kjoule {

/// One kernel repeated back to back, as a benchmark of that kernel in isolation would measure it.
struct IsolatedKernel {
  uint32_t kernel = 0;   ///< in the table
  int runs = 0;          ///< timed launches between begin and end
  double single_s = 0;   ///< one launch, typical of these
  int64_t begin_ns = 0;  ///< begin and end bracket the launches, and those that lead up to them
  int64_t end_ns = 0;
  std::string error;  ///< why it could not be played; times are then absent
};

nlohmann::json to_row(const IsolatedKernel& kernel);
IsolatedKernel isolated_from_row(const nlohmann::json& row);

/// Repeats the kernel's first launch in one contiguous block of at least `block_s` seconds, after the
/// launches that come before it in the iteration. A launch that throws gives a result with `error`; a lost
/// device throws.
IsolatedKernel measure_isolated(Device& device, const KernelTable& table, const TimedIteration& iteration,
                                uint32_t kernel, double block_s);

}  // namespace kjoule
