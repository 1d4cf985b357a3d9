#pragma once
#include <cstdint>
#include <vector>

#include "report/timeline_lanes.hpp"

namespace kjoule {

/// One drawn bar of a lane: a single operation, or neighbouring operations that are too thin to be seen
/// separately.
struct TimelinePiece {
  struct Part {
    const TimelineBar* bar = nullptr;  ///< first bar of this kernel in the piece
    int64_t ns = 0;
    size_t bars = 0;
  };
  int64_t begin_ns = 0, end_ns = 0;
  std::vector<Part> parts;  ///< one part per kernel, in order of first appearance

  int64_t busy_ns() const;
  size_t bars() const;
};

/// Returns the pieces of a lane from `from_ns` to `to_ns`. A bar that begins earlier or ends later is cut at
/// these times. A bar shorter than `thin_ns` is merged with short neighbours until the piece is at least
/// `thin_ns` long or the next bar is at least `thin_ns` away. The times of a piece's parts add up to those of
/// its bars.
std::vector<TimelinePiece> timeline_pieces(const TimelineLane& lane, int64_t from_ns, int64_t to_ns,
                                           int64_t thin_ns);

}  // namespace kjoule
