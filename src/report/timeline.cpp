#include "report/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "base/error.hpp"
#include "recording/launch_match.hpp"
#include "report/timeline_lanes.hpp"

namespace kjoule {

Timeline make_timeline(const std::string& title, const Recording& recording,
                       const std::vector<Activity>& activities) {
  const KernelTable table = kernel_table(recording);
  const std::vector<std::optional<LaunchIndex>> launches = launches_of(recording, activities);
  std::map<std::pair<ActivityKind, std::string>, size_t> unrecorded;
  Timeline timeline{title, {}};
  for (size_t i = 0; i < activities.size(); ++i) {
    if (launches[i] && !table.kernel_at(*launches[i]))
      continue;  // a launch of the lead or tail, which is replayed but not measured
    TimelineBar bar;
    bar.activity = activities[i];
    if (launches[i]) {
      bar.kernel = table.kernel_of.at(*launches[i]);
      bar.tier = table.kernels[bar.kernel].tier;
      if (bar.activity.name.empty()) bar.activity.name = recording.launches[*launches[i]].name;
    } else {
      const size_t next = table.kernels.size() + unrecorded.size();
      bar.kernel = unrecorded.try_emplace({bar.activity.kind, bar.activity.name}, next).first->second;
      if (bar.activity.name.empty()) bar.activity.name = activity_kind_name(bar.activity.kind);
    }
    timeline.bars.push_back(std::move(bar));
  }
  return timeline;
}

Timeline sequential_timeline(const std::string& title, const Recording& recording,
                             const std::vector<double>& launch_s) {
  const KernelTable table = kernel_table(recording);
  Timeline timeline{title + ", operators one after another", {}};
  double now_ns = 0;
  for (LaunchIndex i = 0; i < std::min(launch_s.size(), recording.launches.size()); ++i) {
    if (!table.kernel_at(i) || !(launch_s[i] > 0)) continue;
    TimelineBar bar;
    bar.activity.name = recording.launches[i].name;
    bar.activity.begin_ns = std::llround(now_ns);
    now_ns += 1e9 * launch_s[i];
    bar.activity.end_ns = std::max<int64_t>(1, std::llround(now_ns));
    bar.kernel = table.kernel_of.at(i);
    bar.tier = table.kernels[bar.kernel].tier;
    timeline.bars.push_back(std::move(bar));
  }
  if (timeline.bars.empty())
    throw Error("no timeline can be drawn, because no launch was timed", "measure again");
  return timeline;
}

Timeline timeline_of(const ImportedTable& table) {
  require_timeline(table);
  // If an option gave the number of iterations, the limits of one iteration are not known.
  const bool is_one_iteration =
      table.iterations.known() && table.iterations.source != IterationSource::option;
  Timeline timeline{fmt::format("{}, {}", table.source, is_one_iteration ? "one iteration" : "all of it"),
                    {}};
  for (const ImportedActivity& ran : table.timeline) {
    const ImportedKernel& kernel = table.kernels[ran.kernel];
    TimelineBar bar;
    bar.activity.kind = kernel.kind;
    bar.activity.name = kernel.name;
    bar.activity.stream = ran.stream;
    bar.activity.begin_ns = ran.begin_ns;
    bar.activity.end_ns = ran.end_ns;
    bar.activity.bytes = static_cast<uint64_t>(kernel.bytes.value_or(0));
    bar.kernel = ran.kernel;
    bar.tier = kernel.tier;
    bar.device = static_cast<uint32_t>(kernel.gpu.value_or(0));
    timeline.bars.push_back(std::move(bar));
  }
  return timeline;
}

Timeline join_timelines(const std::string& title, std::vector<Timeline> ranks) {
  std::map<std::pair<ActivityKind, std::string>, size_t> kernels;
  Timeline joint{title, {}};
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    for (TimelineBar& bar : ranks[rank].bars) {
      bar.device = static_cast<uint32_t>(rank);
      bar.kernel = kernels.try_emplace({bar.activity.kind, bar.activity.name}, kernels.size()).first->second;
      joint.bars.push_back(std::move(bar));
    }
  }
  return joint;
}

const TimelineFormat& timeline_format(const std::string& path) {
  static constexpr std::array kFormats{TimelineFormat{".json", timeline_chrome},
                                       TimelineFormat{".svg", timeline_svg}};
  const std::string ending = std::filesystem::path(path).extension();
  for (const TimelineFormat& format : kFormats)
    if (ending == format.ending) return format;
  throw UsageError(fmt::format("--timeline {}: the file's name ends neither with .json nor with .svg", path),
                   "end it with .json for Perfetto, or with .svg for a picture");
}

bool is_timeline_beginning(std::string_view beginning) {
  return beginning.starts_with(kChromeBeginning) ||
         (beginning.starts_with(kSvgBeginning) && beginning.find(kSvgFonts) != std::string_view::npos);
}

void name_bars(Timeline& timeline, NameStyle style) {
  std::set<std::string> all;
  for (const TimelineBar& bar : timeline.bars) all.insert(bar.activity.name);
  const KernelNames names({all.begin(), all.end()}, style);
  for (TimelineBar& bar : timeline.bars)
    if (!bar.activity.name.empty()) bar.activity.name = names.shown(bar.activity.name);
}

}  // namespace kjoule
