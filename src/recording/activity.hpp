#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/json_fields.hpp"

namespace kjoule {

enum class ActivityKind { kernel, memcpy, memset };
/// "kernel", "memcpy", "memset".
const char* activity_kind_name(ActivityKind kind);

/// One operation as the device says it ran; CUPTI's activity records are read into these.
struct Activity {
  ActivityKind kind = ActivityKind::kernel;
  std::string name;      ///< of a kernel, mangled or not; of others a description
  uint64_t stream = 0;   ///< id, not address
  int64_t begin_ns = 0;  ///< both 0 when the device did not tell
  int64_t end_ns = 0;
  uint64_t bytes = 0;  ///< of a copy or memset; 0 when unknown
  uint64_t correlation = 0;
  uint64_t graph_node = 0;  ///< 0 when no graph launched it

  int64_t duration_ns() const { return end_ns - begin_ns; }
  bool has_times() const { return end_ns > 0 && end_ns >= begin_ns; }
};

/// A recorded launch, as far as the device can confirm it.
struct RecordedOperation {
  ActivityKind kind = ActivityKind::kernel;
  std::string name;
  uint64_t stream = 0;
  uint64_t bytes = 0;
  uint64_t graph_node = 0;
};

/// Demangled, so that names from all sources compare; others as they are.
std::string readable_name(const std::string& name);

/// What the device ran against what was recorded.
struct Audit {
  static constexpr size_t kMostListed = 50;

  size_t launches = 0;
  size_t activities = 0;
  /// One line each, such as "stream 7: launch 13 fill_kernel has no activity"; of more than kMostListed the
  /// last line says how many more there are.
  std::vector<std::string> differences;
  size_t differences_found = 0;

  bool equal() const { return differences_found == 0; }
};

/// Compares kinds, names, sizes (when all are known), counts and, stream by stream, order: launches as they
/// were recorded, activities as they began. Nodes of graphs are known by their ids, whatever their stream and
/// order. An activity without times is a difference too.
Audit audit(const std::vector<RecordedOperation>& launches, const std::vector<Activity>& activities);

/// What an operation took by the device's own timeline.
struct IndependentTime {
  int64_t duration_ns = 0;
  /// From the end of the operation that began before it, on whatever stream, to its own begin: negative when
  /// they overlap; 0 for the first.
  int64_t gap_ns = 0;
  int64_t total_ns() const { return duration_ns + gap_ns; }
};
/// One for each activity, in the order given. Totals add up to the time from the first begin to the end of
/// the one that began last. Throws Error naming an activity without times.
std::vector<IndependentTime> independent_times(const std::vector<Activity>& activities);

/// A timeline as a whole; all 0 when it is empty.
struct TimelineTotals {
  int64_t span_ns = 0;     ///< first begin to last end
  int64_t busy_ns = 0;     ///< at least one operation runs
  int64_t work_ns = 0;     ///< durations added up
  int64_t idle_ns = 0;     ///< none runs
  int64_t overlap_ns = 0;  ///< work beyond busy time
};
/// Throws Error naming an activity without times.
TimelineTotals timeline_totals(const std::vector<Activity>& activities);

// Conversion to and from messages and rows (base/json_fields).

/// Throws Error for a name that activity_kind_name() does not return.
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
