#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/files/json_cursor.hpp"
#include "importers/event_category.hpp"
#include "importers/event_fields.hpp"
#include "importers/event_pairs.hpp"
#include "importers/pair_numbers.hpp"
#include "importers/profiler_event.hpp"
#include "importers/profiler_trace.hpp"
#include "importers/recent_texts.hpp"
#include "importers/trace_tracks.hpp"

namespace kjoule {

/// Number and total time of events that are not read.
struct UnreadEvents {
  uint64_t number = 0;
  double total_ns = 0;  ///< whole numbers, so that the order of additions does not matter

  void add(std::string_view duration);
  void add(const UnreadEvents& others);
};

/// The events of a trace, or of a part of its array of events, that concern kernels.
class TraceEvents {
 public:
  /// `cursor` is in the text of the file, of which about `bytes` bytes contain the events. `file` must
  /// outlive this object.
  TraceEvents(JsonCursor cursor, const std::string& file, size_t bytes);
  TraceEvents(const TraceEvents&) = delete;
  TraceEvents& operator=(const TraceEvents&) = delete;

  JsonCursor& cursor() { return cursor_; }

  /// Reads the event at the cursor. Throws Error for an event with impossible fields.
  void read();
  /// Reads the event at the cursor once more, after all names of threads are known: threads of XLA's profiler
  /// contain operations.
  void read_xla_event();
  /// Adds the events of the part that follows in the text. The result is the same as if this object had read
  /// them.
  void append(const TraceEvents& next);
  /// Takes the work whose begin and end are separate events, which form pairs within a thread or id.
  void take_pairs();
  /// Returns whether the trace has streams of GPUs, as XLA's profiler writes them.
  bool has_xla_streams() const { return tracks_.has_streams(); }
  /// Moves all that was read to the trace.
  void move_to(ProfilerTrace& trace);

 private:
  void take_event(const ProfilerEvent& event, const char* at);
  /// Keeps the begin or end of work. An event without a time is ignored.
  void keep_edge(const ProfilerEvent& event, const char* at, uint32_t lane, bool is_end);
  void take_metadata(const ProfilerEvent& event);
  ProfilerEvent event_at(const char* position);
  bool is_operation(const ProfilerEvent& event);
  EventCategory category_of(const ProfilerEvent& event);
  void take_complete(const ProfilerEvent& event);
  static bool has_device_fields(const ProfilerEvent& event);
  void take_operation(const ProfilerEvent& event, ActivityKind kind);
  void take_call(const ProfilerEvent& event);
  void take_operator(const ProfilerEvent& event);
  /// Returns the end of an operator; no value if the trace does not state it.
  static std::optional<int64_t> end_of(const ProfilerEvent& event, int64_t begin_ns);
  void take_range(const ProfilerEvent& event, bool is_of_program = true);
  /// Lists the work that was not read. Uncategorised events are work of a device by the name of their
  /// process; those of XLA's streams were read, and its other threads repeat them.
  void list_unread(ProfilerTrace& trace) const;

  /// Number of the first lane of asynchronous events (phases b and e), above all numbers of threads.
  static constexpr uint32_t kFirstAsync = 1u << 31;
  /// Events by category, or by category and process.
  using ByCategory = std::map<std::string_view, UnreadEvents>;
  using ByProcess = std::map<std::pair<std::string_view, std::string_view>, UnreadEvents>;

  JsonCursor cursor_;
  EventFields fields_;
  const std::string& file_;
  std::vector<ProfilerOperation> operations_;
  std::vector<ProfilerCall> calls_;
  std::vector<ProfilerOperator> operators_;
  std::vector<ProfilerRange> ranges_;
  std::vector<EventEdge> edges_;
  PairNumbers threads_, contexts_, ids_;
  RecentTexts texts_;
  TraceTracks tracks_;
  std::unordered_map<std::string_view, EventCategory> categories_;
  std::string_view latest_category_;
  EventCategory latest_;
  std::map<std::string_view, UnreadEvents> uncategorised_;  ///< by process
  ByCategory unknown_on_device_;                            ///< with a stream, a device or a grid
  ByProcess unknown_;                                       ///< without these fields
  UnreadEvents without_category_;                           ///< with a stream, a device or a grid
  uint64_t without_end_ = 0;                                ///< number of such operations
  TraceTool tool_ = TraceTool::torch;
};

}  // namespace kjoule
