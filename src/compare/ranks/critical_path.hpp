#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_fields.hpp"

namespace kjoule {

/// What a stretch of the critical path is spent on.
enum class PathPart : uint8_t {
  computation,  ///< a kernel that is not a collective
  copy,         ///< a copy or a memset
  moving,       ///< a collective, from the begin on its last rank; of other kernels of NCCL all their time
  idle,         ///< a launch that the host has made waits on the device
  launch_gap,   ///< the GPU has nothing to do, because the host has not launched it yet
};
constexpr size_t kPathParts = 5;
constexpr std::array<const char*, kPathParts> kPathPartNames{"computation", "copies", "moving data", "idle",
                                                             "launch gaps"};

/// A launch on a timeline of several ranks. All times are on one clock, in ns.
struct PathLaunch {
  int64_t call_ns = 0;  ///< when the host launched it
  int64_t begin_ns = 0, end_ns = 0;
  PathPart part = PathPart::computation;
  std::vector<uint32_t> waits_for;       ///< launches of the same rank, by index in its list
  std::optional<uint32_t> collective{};  ///< number of the collective that synchronises it with other ranks
};

/// A stretch of the path, on one rank.
struct PathStretch {
  uint32_t rank = 0;
  /// The launch that runs in this stretch, or that begins at its end if the GPU does nothing.
  uint32_t launch = 0;
  PathPart part = PathPart::computation;
  int64_t begin_ns = 0, end_ns = 0;
  bool operator==(const PathStretch&) const = default;
};

/// Returns the critical path of a timeline, [rank][launch], in order of time: the stretches have no gaps
/// between them, and end with the launch that ends last. What precedes a stretch is
///
/// - before a collective that synchronises ranks: the begin of the collective on the rank that begins it
///   last. So the path changes to this rank, and has no waiting for it;
/// - before a launch that the host had launched when the last of the launches that it waits for ended: this
///   launch. The time between the two is idle;
/// - before any other launch: the launch of its rank that ended last before it. The time between the two is a
///   launch gap.
///
/// The path begins where nothing precedes it.
std::vector<PathStretch> critical_path(const std::vector<std::vector<PathLaunch>>& ranks);

}  // namespace kjoule
