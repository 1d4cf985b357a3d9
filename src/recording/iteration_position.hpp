#pragma once
#include <cstdint>
#include <optional>

namespace kjoule {

/// Name of the NVTX range with which a program may mark its iterations.
inline constexpr const char* kIterationRange = "kjoule.iteration";

/// The launches that form an iteration. Launches are numbered from 0 as the program issues them; each node of
/// a graph counts.
struct IterationPosition {
  /// Number of the launch, counted from 0 in the order of the program, that begins an iteration. The next
  /// iteration begins `length` launches later.
  uint64_t first = 0;
  uint64_t length = 0;  ///< launches per iteration

  bool operator==(const IterationPosition&) const = default;
};

/// The launch that begins each iteration of a loop, and occurs only once per iteration.
struct IterationBegin {
  uint64_t shape_hash = 0;  ///< hash of function, grid and block, as in WatchedLaunch
  /// Number of the thread that issues this launch; nothing if any thread may issue it.
  std::optional<uint32_t> thread{};

  bool operator==(const IterationBegin&) const = default;
};

}  // namespace kjoule
