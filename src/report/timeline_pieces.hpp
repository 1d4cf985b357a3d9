#pragma once
#include <cstdint>
#include <vector>

#include "report/timeline_lanes.hpp"

namespace kjoule {

/// What a picture draws in one place of a lane: a bar, or neighbours too thin to be seen one by one.
struct TimelinePiece {
  struct Part {
    const TimelineBar* bar = nullptr;  ///< the first one of its kernel
    int64_t ns = 0;
    size_t bars = 0;
  };
  int64_t begin_ns = 0, end_ns = 0;
  std::vector<Part> parts;  ///< by kernel, in order of first appearance

  int64_t busy_ns() const;
  size_t bars() const;
};

/// The pieces of a lane between two times; a bar that reaches over these is cut there. Bars shorter than
/// `thin_ns` are joined with such neighbours until the piece is at least `thin_ns` long or the next bar lies
/// further off than that. Times of the parts add up to those of the bars.
std::vector<TimelinePiece> timeline_pieces(const TimelineLane& lane, int64_t from_ns, int64_t to_ns,
                                           int64_t thin_ns);

}  // namespace kjoule
