#include "report/timeline_pieces.hpp"

#include <algorithm>

namespace kjoule {

int64_t TimelinePiece::busy_ns() const {
  int64_t sum = 0;
  for (const Part& part : parts) sum += part.ns;
  return sum;
}

size_t TimelinePiece::bars() const {
  size_t sum = 0;
  for (const Part& part : parts) sum += part.bars;
  return sum;
}

std::vector<TimelinePiece> timeline_pieces(const TimelineLane& lane, int64_t from_ns, int64_t to_ns,
                                           int64_t thin_ns) {
  std::vector<TimelinePiece> pieces;
  bool open = false;  // whether further thin bars can join the last piece
  for (const TimelineBar* bar : lane.bars) {
    const int64_t begin_ns = std::max(bar->activity.begin_ns, from_ns);
    const int64_t end_ns = std::min(bar->activity.end_ns, to_ns);
    const bool outside = end_ns < begin_ns || bar->activity.begin_ns >= to_ns ||
                         (bar->activity.end_ns <= from_ns && bar->activity.begin_ns < from_ns);
    if (outside) continue;
    const bool thin = end_ns - begin_ns < thin_ns;
    const bool joins = open && thin && begin_ns - pieces.back().end_ns < thin_ns &&
                       pieces.back().end_ns - pieces.back().begin_ns < thin_ns;
    if (!joins) pieces.push_back({begin_ns, end_ns, {}});
    open = thin;
    TimelinePiece& piece = pieces.back();
    piece.end_ns = std::max(piece.end_ns, end_ns);
    const auto same =
        std::find_if(piece.parts.begin(), piece.parts.end(),
                     [&](const TimelinePiece::Part& part) { return part.bar->kernel == bar->kernel; });
    TimelinePiece::Part& part =
        same != piece.parts.end() ? *same : piece.parts.emplace_back(TimelinePiece::Part{bar, 0, 0});
    part.ns += end_ns - begin_ns;
    ++part.bars;
  }
  return pieces;
}

}  // namespace kjoule
