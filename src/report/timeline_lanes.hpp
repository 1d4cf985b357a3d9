#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "report/timeline.hpp"

namespace kjoule {

/// Bars that do not overlap, by begin.
struct TimelineLane {
  uint64_t stream = 0;
  size_t number = 0;  ///< among the lanes of its stream, from 0
  std::vector<const TimelineBar*> bars;
  /// "stream 7", and "stream 7 (2)" of the second lane.
  std::string label() const;
};

/// By stream; as few for each as its overlaps allow. They point into `timeline`, which must outlive them.
/// Throws Error when an activity has no times.
std::vector<TimelineLane> timeline_lanes(const Timeline& timeline);

/// Begin of the first operation, ns; 0 when there is none.
int64_t timeline_begin_ns(const Timeline& timeline);

/// The text as valid UTF-8 without control characters.
std::string clean_text(const std::string& text);

}  // namespace kjoule
