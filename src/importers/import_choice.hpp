#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace kjoule {

/// What a user says about a trace or table that it cannot say itself.
struct ImportChoice {
  std::optional<std::string> annotation;  ///< ranges of this name are the iterations
  std::optional<uint64_t> iterations;     ///< the table holds so many, alike
  std::optional<int64_t> gpu;             ///< only what ran on this device
};

}  // namespace kjoule
