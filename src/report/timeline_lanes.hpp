#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/timeline.hpp"

namespace kjoule {

/// Operations of one stream of a device that do not overlap, sorted by begin.
struct TimelineLane {
  uint32_t device = 0;
  uint64_t stream = 0;
  size_t number = 0;  ///< number of the lane within its stream, from 0
  std::vector<const TimelineBar*> bars;
  /// Returns "stream 7", or "stream 7 (2)" for the second lane of the stream, with "GPU 1, " before it if the
  /// device is not number 0.
  std::string label() const;
};

/// Returns the lanes, sorted by device and stream. A stream has the least number of lanes that its overlaps
/// allow. The lanes point into `timeline`, which must outlive them. Throws Error when an activity has no
/// times.
std::vector<TimelineLane> timeline_lanes(const Timeline& timeline);

/// The first bytes of timelines, by which kjoule recognises its own. Other programs also write "<svg xmlns=",
/// but not this size with these fonts.
inline constexpr std::string_view kChromeBeginning =
    "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":0,\"tid\":0,\"name\":\"process_"
    "name\"";
inline constexpr std::string_view kSvgBeginning =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"297mm\" height=\"";
inline constexpr std::string_view kSvgFonts =
    "font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\" "
    "fill=\"#1d232b\">\n<title>";

/// Returns the begin of the first operation in ns, or 0 when there is none.
int64_t timeline_begin_ns(const Timeline& timeline);

/// Returns the text as valid UTF-8 without control characters.
std::string clean_text(const std::string& text);

}  // namespace kjoule
