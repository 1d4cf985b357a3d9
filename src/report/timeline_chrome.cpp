#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

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

/// Returns names as they are written to the file. Equal names are cleaned only once.
class CleanNames {
 public:
  const std::string& of(const std::string& name) {
    const auto [at, is_new] = clean_.try_emplace(name);
    if (is_new) at->second = clean_text(readable_name(name));
    return at->second;
  }

 private:
  std::unordered_map<std::string, std::string> clean_;
};

ordered_json span(size_t thread, int64_t begin_ns, int64_t end_ns, const std::string& name,
                  const char* category, ordered_json arguments) {
  return {{"ph", "X"},
          {"pid", 0},
          {"tid", thread},
          {"ts", chrome_us(begin_ns)},
          {"dur", chrome_us(end_ns - begin_ns)},
          {"name", name},
          {"cat", category},
          {"args", std::move(arguments)}};
}

ordered_json arguments_of(const TimelineBar& bar, size_t count) {
  const Activity& activity = bar.activity;
  ordered_json arguments = {{"kernel", bar.kernel}, {"count", count}, {"tier", tier_key(bar.tier)}};
  if (activity.bytes > 0) arguments["bytes"] = activity.bytes;
  if (activity.correlation > 0) arguments["correlation"] = activity.correlation;
  if (activity.graph_node > 0) arguments["graph_node"] = activity.graph_node;
  return arguments;
}

/// Writes the events one after the other, each on its own line, so that a person can search the file.
class ChromeText {
 public:
  void add(const ordered_json& event) {
    text_ += empty_ ? "" : ",\n";
    text_ += event.dump();
    empty_ = false;
  }
  /// Adds a row with its name. Rows are shown by number.
  void add_row(size_t thread, const std::string& name) {
    add(metadata("thread_name", thread, {{"name", name}}));
    add(metadata("thread_sort_index", thread, {{"sort_index", thread - 1}}));
  }
  std::string finish() { return std::move(text_) + "\n]}\n"; }

 private:
  std::string text_ = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  bool empty_ = true;
};

/// Adds the parts in as few rows as their overlaps allow; the first row has the number `first_thread`.
void add_parts(const std::vector<TimelinePart>& parts, size_t first_thread, int64_t origin_ns,
               ChromeText& text) {
  std::vector<int64_t> row_ends_ns;
  for (const TimelinePart& part : parts) {
    const auto row =
        std::ranges::find_if(row_ends_ns, [&](int64_t end_ns) { return end_ns <= part.begin_ns; });
    const size_t thread = first_thread + static_cast<size_t>(row - row_ends_ns.begin());
    if (row == row_ends_ns.end()) {
      text.add_row(thread, row_ends_ns.empty() ? "parts" : fmt::format("parts ({})", row_ends_ns.size() + 1));
      row_ends_ns.push_back(part.end_ns);
    } else {
      *row = part.end_ns;
    }
    text.add(span(thread, part.begin_ns - origin_ns, part.end_ns - origin_ns, part.name, "part",
                  {{"kind", part.kind}}));
  }
}

}  // namespace

std::string timeline_chrome(const Timeline& timeline) {
  const std::vector<TimelineLane> lanes = timeline_lanes(timeline);
  const int64_t origin_ns = timeline_begin_ns(timeline);
  std::map<size_t, size_t> counts;
  for (const TimelineBar& bar : timeline.bars) ++counts[bar.kernel];
  ChromeText text;
  text.add(metadata("process_name", 0, {{"name", clean_text(timeline.title)}}));
  for (size_t i = 0; i < lanes.size(); ++i) text.add_row(i + 1, lanes[i].label());
  CleanNames names;
  for (size_t i = 0; i < lanes.size(); ++i) {
    for (const TimelineBar* bar : lanes[i].bars) {
      const Activity& activity = bar->activity;
      text.add(span(i + 1, activity.begin_ns - origin_ns, activity.end_ns - origin_ns,
                    names.of(activity.name), activity_kind_name(activity.kind),
                    arguments_of(*bar, counts[bar->kernel])));
    }
  }
  add_parts(timeline.parts, lanes.size() + 1, origin_ns, text);
  return text.finish();
}

}  // namespace kjoule
