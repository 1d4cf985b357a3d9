#include "report/timeline_lanes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/json/dump_json.hpp"
#include "base/json/parse_json.hpp"

namespace kjoule {

std::string TimelineLane::label() const {
  const std::string gpu = device == 0 ? "" : fmt::format("GPU {}, ", device);
  return fmt::format("{}stream {}{}", gpu, stream, number == 0 ? "" : fmt::format(" ({})", number + 1));
}

std::vector<TimelineLane> timeline_lanes(const Timeline& timeline) {
  std::map<std::pair<uint32_t, uint64_t>, std::vector<const TimelineBar*>> streams;
  for (const TimelineBar& bar : timeline.bars) {
    if (!bar.activity.has_times())
      throw Error(fmt::format("no timeline can be drawn, because the device gave no times of {}",
                              readable_name(bar.activity.name)),
                  "end other profilers and repeat the command");
    streams[{bar.device, bar.activity.stream}].push_back(&bar);
  }
  std::vector<TimelineLane> lanes;
  for (auto& [stream, bars] : streams) {
    std::stable_sort(bars.begin(), bars.end(), [](const TimelineBar* a, const TimelineBar* b) {
      return a->activity.begin_ns < b->activity.begin_ns;
    });
    const size_t first = lanes.size();
    for (const TimelineBar* bar : bars) {
      const auto free = std::find_if(lanes.begin() + static_cast<std::ptrdiff_t>(first), lanes.end(),
                                     [&](const TimelineLane& lane) {
                                       return lane.bars.back()->activity.end_ns <= bar->activity.begin_ns;
                                     });
      if (free != lanes.end())
        free->bars.push_back(bar);
      else
        lanes.push_back({stream.first, stream.second, lanes.size() - first, {bar}});
    }
  }
  return lanes;
}

int64_t timeline_begin_ns(const Timeline& timeline) {
  const auto first = std::min_element(
      timeline.bars.begin(), timeline.bars.end(),
      [](const TimelineBar& a, const TimelineBar& b) { return a.activity.begin_ns < b.activity.begin_ns; });
  return first == timeline.bars.end() ? 0 : first->activity.begin_ns;
}

std::string clean_text(const std::string& text) {
  std::string clean = parse_json(quote_json(text), "timeline");
  std::replace_if(
      clean.begin(), clean.end(), [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; }, ' ');
  return clean;
}

}  // namespace kjoule
