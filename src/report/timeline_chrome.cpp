#include <map>
#include <nlohmann/json.hpp>

#include "report/timeline_lanes.hpp"

namespace kjoule {
namespace {

using nlohmann::ordered_json;

double chrome_us(int64_t ns) {
  return static_cast<double>(ns) / 1000;
}

ordered_json metadata(const char* what, size_t thread, const ordered_json& arguments) {
  return {{"ph", "M"}, {"pid", 0}, {"tid", thread}, {"name", what}, {"args", arguments}};
}

ordered_json event(const TimelineBar& bar, size_t thread, int64_t origin_ns, size_t count) {
  const Activity& activity = bar.activity;
  ordered_json arguments = {{"kernel", bar.kernel}, {"count", count}, {"tier", tier_key(bar.tier)}};
  if (activity.bytes > 0) arguments["bytes"] = activity.bytes;
  if (activity.correlation > 0) arguments["correlation"] = activity.correlation;
  if (activity.graph_node > 0) arguments["graph_node"] = activity.graph_node;
  return {{"ph", "X"},
          {"pid", 0},
          {"tid", thread},
          {"ts", chrome_us(activity.begin_ns - origin_ns)},
          {"dur", chrome_us(activity.duration_ns())},
          {"name", clean_text(readable_name(activity.name))},
          {"cat", activity_kind_name(activity.kind)},
          {"args", std::move(arguments)}};
}

}  // namespace

std::string timeline_chrome(const Timeline& timeline) {
  const std::vector<TimelineLane> lanes = timeline_lanes(timeline);
  const int64_t origin_ns = timeline_begin_ns(timeline);
  std::map<size_t, size_t> counts;
  for (const TimelineBar& bar : timeline.bars) ++counts[bar.kernel];

  ordered_json events = ordered_json::array();
  events.push_back(metadata("process_name", 0, {{"name", clean_text(timeline.title)}}));
  for (size_t i = 0; i < lanes.size(); ++i) {
    events.push_back(metadata("thread_name", i + 1, {{"name", lanes[i].label()}}));
    events.push_back(metadata("thread_sort_index", i + 1, {{"sort_index", i}}));
  }
  for (size_t i = 0; i < lanes.size(); ++i) {
    for (const TimelineBar* bar : lanes[i].bars)
      events.push_back(event(*bar, i + 1, origin_ns, counts[bar->kernel]));
  }
  // Each event is on its own line, so that a person can search the file.
  std::string text = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  for (size_t i = 0; i < events.size(); ++i)
    text += events[i].dump() + (i + 1 < events.size() ? ",\n" : "\n");
  return text + "]}\n";
}

}  // namespace kjoule
