#pragma once
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "recording/recording.hpp"
#include "recording/run_log.hpp"

namespace kjoule {

/// The key that distinguishes kernels in the log of a run. It replaces the signature, because the log
/// contains no arguments. The key of a copy or memset has its kind as name, and neither grid nor block.
struct KernelKey {
  std::string name;
  std::vector<uint32_t> grid{}, block{};
  /// Size of a copy or memset; 0 for kernels, and where copies of all sizes count as one kernel.
  uint64_t bytes = 0;

  KernelKey() = default;
  explicit KernelKey(const Launch& launch)
      : name(launch.name), grid(dimensions(launch, "grid")), block(dimensions(launch, "block")) {}
  explicit KernelKey(const LoggedName& logged) : name(logged.name), grid(logged.grid), block(logged.block) {}

  bool is_kernel() const { return !grid.empty(); }
  auto operator<=>(const KernelKey&) const = default;

 private:
  static std::vector<uint32_t> dimensions(const Launch& launch, const char* name) {
    return launch.detail.value(name, std::vector<uint32_t>());
  }
};

}  // namespace kjoule
