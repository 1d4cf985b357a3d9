#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/json/json_fields.hpp"

namespace kjoule {

enum class ActivityKind { kernel, memcpy, memset };
/// Returns "kernel", "memcpy" or "memset".
const char* activity_kind_name(ActivityKind kind);

/// One operation as the device reports it, for example from a CUPTI activity record.
struct Activity {
  ActivityKind kind = ActivityKind::kernel;
  std::string name;      ///< a kernel's name, mangled or not; for a copy or memset a description
  uint64_t stream = 0;   ///< stream id, not an address
  int64_t begin_ns = 0;  ///< begin_ns and end_ns: device times; both are 0 if not reported
  int64_t end_ns = 0;
  uint64_t bytes = 0;        ///< size of a copy or memset; 0 when unknown
  uint64_t correlation = 0;  ///< CUPTI's id of the host call that launched the operation
  uint64_t graph_node = 0;   ///< id of the operation's CUDA graph node; 0 if it is not part of a graph

  int64_t duration_ns() const { return end_ns - begin_ns; }
  bool has_times() const { return end_ns > 0 && end_ns >= begin_ns; }
};

/// A recorded launch, reduced to the properties that the device's activities confirm.
struct RecordedOperation {
  ActivityKind kind = ActivityKind::kernel;
  std::string name;
  uint64_t stream = 0;
  uint64_t bytes = 0;
  uint64_t graph_node = 0;
};

/// Returns a mangled C++ name demangled, so that names from all sources are comparable. Returns other names
/// unchanged.
std::string readable_name(const std::string& name);

/// The result of audit(): the differences between recorded launches and the device's activities.
struct Audit {
  static constexpr size_t kMostListed = 50;

  size_t launches = 0;
  size_t activities = 0;
  /// One line for each difference, such as "stream 7: launch 13 fill_kernel has no activity". Lists at most
  /// kMostListed differences. If more were found, one last line states the number of those not listed.
  std::vector<std::string> differences;
  size_t differences_found = 0;

  bool equal() const { return differences_found == 0; }
};

/// Compares recorded launches with the device's activities: kinds, names, counts and sizes, and the order
/// within each stream. The order of activities is that of their begin times. Sizes are compared only if the
/// sizes of all copies and memsets are known. Nodes of CUDA graphs are compared by id; their streams and
/// order are ignored. An activity without times counts as a difference.
Audit audit(const std::vector<RecordedOperation>& launches, const std::vector<Activity>& activities);

/// The duration of one operation and the gap before it, on the timeline that the device reports (CUPTI).
struct TimelineTime {
  int64_t duration_ns = 0;
  /// Time from the end of the previous operation to the begin of this operation. The previous operation is
  /// the one on any stream that began last before this one. Negative if the two overlap; 0 for the first
  /// operation.
  int64_t gap_ns = 0;
  int64_t total_ns() const { return duration_ns + gap_ns; }
};
/// Returns one TimelineTime for each activity, in the order of the argument. All total_ns() add up to the
/// time from the begin of the first activity to the end of the activity that began last. Throws Error naming
/// an activity without times.
std::vector<TimelineTime> timeline_times(const std::vector<Activity>& activities);

/// Totals of a timeline. All members are 0 for an empty timeline.
struct TimelineTotals {
  int64_t span_ns = 0;     ///< time from the first begin to the last end
  int64_t busy_ns = 0;     ///< time in which at least one operation runs
  int64_t work_ns = 0;     ///< sum of all durations
  int64_t idle_ns = 0;     ///< time in which no operation runs
  int64_t overlap_ns = 0;  ///< work_ns - busy_ns

  /// Returns whether busy_ns exceeds `program_s`, the duration of the program's own iteration in s, by more
  /// than 5 %. CUPTI's times have an error of less than 5 %. So if the result is true, the timeline contains
  /// launches that do not belong to the iteration.
  bool contradict(double program_s) const { return static_cast<double>(busy_ns) > 1.05e9 * program_s; }
};
/// Returns the totals of a timeline. Throws Error naming an activity without times.
TimelineTotals timeline_totals(const std::vector<Activity>& activities);

// Conversion to and from messages and rows (base/json/json_fields).

/// Inverse of activity_kind_name(). Throws Error for another name.
ActivityKind activity_kind_named(const std::string& name);

template <class Fields>
void describe(Fields& fields, Activity& activity) {
  fields.as("kind", activity.kind, activity_kind_name, activity_kind_named);
  fields("name", activity.name);
  fields("stream", activity.stream);
  fields("begin_ns", activity.begin_ns);
  fields("end_ns", activity.end_ns);
  fields("bytes", activity.bytes);
  fields("correlation", activity.correlation);
  fields("graph_node", activity.graph_node);
}
template <class Fields>
void describe(Fields& fields, Audit& audit) {
  fields("launches", audit.launches);
  fields("activities", audit.activities);
  fields("differences", audit.differences);
  fields("differences_found", audit.differences_found);
}

}  // namespace kjoule
