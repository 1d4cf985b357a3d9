#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace kjoule {

/// Facts about a trace or table that only the user knows (options of the command line).
struct ImportChoice {
  std::optional<std::string> annotation;  ///< ranges of this name are the iterations
  std::optional<uint64_t> iterations;     ///< the table contains this many equal iterations
  std::optional<int64_t> gpu;             ///< import only the launches of this device
  bool omit_impossible_times = false;     ///< leave out launches whose times are impossible
};

}  // namespace kjoule
