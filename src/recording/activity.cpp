#include "recording/activity.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <numeric>

#include "base/error.hpp"

namespace kjoule {

const char* activity_kind_name(ActivityKind kind) {
  switch (kind) {
    case ActivityKind::kernel:
      return "kernel";
    case ActivityKind::memcpy:
      return "memcpy";
    case ActivityKind::memset:
      return "memset";
  }
  return "unknown";
}

ActivityKind activity_kind_named(const std::string& name) {
  for (const ActivityKind kind : {ActivityKind::kernel, ActivityKind::memcpy, ActivityKind::memset})
    if (name == activity_kind_name(kind)) return kind;
  throw Error(name + " is not a known kind of activity");
}

std::string readable_name(const std::string& name) {
  if (name.compare(0, 2, "_Z") != 0) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : name;
}

namespace {

std::vector<size_t> by_begin(const std::vector<Activity>& activities) {
  for (size_t i = 0; i < activities.size(); ++i) {
    if (!activities[i].has_times())
      throw Error(fmt::format("activity {} ({}) has no times", i, readable_name(activities[i].name)),
                  "another tool may be using CUPTI: end it, and repeat the command");
  }
  std::vector<size_t> order(activities.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::pair(activities[a].begin_ns, activities[a].end_ns) <
           std::pair(activities[b].begin_ns, activities[b].end_ns);
  });
  return order;
}

}  // namespace

std::vector<TimelineTime> timeline_times(const std::vector<Activity>& activities) {
  std::vector<TimelineTime> times(activities.size());
  const Activity* before = nullptr;
  for (const size_t i : by_begin(activities)) {
    const Activity& activity = activities[i];
    times[i] = {activity.duration_ns(), before == nullptr ? 0 : activity.begin_ns - before->end_ns};
    before = &activity;
  }
  return times;
}

TimelineTotals timeline_totals(const std::vector<Activity>& activities) {
  TimelineTotals totals;
  if (activities.empty()) return totals;
  const std::vector<size_t> order = by_begin(activities);
  const int64_t begin_ns = activities[order.front()].begin_ns;
  int64_t end_ns = begin_ns;
  for (const size_t i : order) {
    const Activity& activity = activities[i];
    totals.work_ns += activity.duration_ns();
    totals.busy_ns += std::max<int64_t>(0, activity.end_ns - std::max(end_ns, activity.begin_ns));
    end_ns = std::max(end_ns, activity.end_ns);
  }
  totals.span_ns = end_ns - begin_ns;
  totals.idle_ns = totals.span_ns - totals.busy_ns;
  totals.overlap_ns = totals.work_ns - totals.busy_ns;
  return totals;
}

}  // namespace kjoule
