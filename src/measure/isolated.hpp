#pragma once
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "play/device.hpp"

namespace kjoule {

/// One kernel played alone: what a benchmark of it by itself would see.
struct IsolatedKernel {
  uint32_t kernel = 0;       ///< in the table
  int runs = 0;              ///< plays of the kernel between begin and end
  double single_s = 0;       ///< mean of one, its places in rotation, nothing else between
  double on_the_spot_s = 0;  ///< mean of one, its first place again and again
  int64_t begin_ns = 0;      ///< begin and end bracket exactly the `runs` plays
  int64_t end_ns = 0;
  std::string error;  ///< why it could not be played; times are then absent
};

nlohmann::json to_row(const IsolatedKernel& kernel);
IsolatedKernel isolated_from_row(const nlohmann::json& row);

/// Measures one kernel in one contiguous block of at least `block_s` seconds. A launch that throws gives a
/// result with `error`; a lost device throws.
IsolatedKernel measure_isolated(Device& device, const KernelTable& table, uint32_t kernel, double block_s);

}  // namespace kjoule
