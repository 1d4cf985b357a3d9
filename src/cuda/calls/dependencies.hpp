#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace kjoule::cuda {

/// How a stream is ordered relative to the legacy default stream.
enum class StreamKind {
  /// The legacy default stream: its work waits for all blocking streams, and their work waits for it.
  legacy,
  blocking,      ///< any other stream that was not created as non-blocking
  non_blocking,  ///< a stream created as non-blocking: its work waits only for events
};

/// Determines, from the program's streams and events, for which earlier launches each launch waits. Streams
/// and events are identified by their addresses. An event that was recorded before the first launch adds no
/// dependency.
class Dependencies {
 public:
  /// Adds launch number `launch` (launches are numbered from 0 in order). Returns the numbers of the launches
  /// for which it waits, ascending.
  std::vector<uint32_t> add_launch(uint32_t launch, const void* stream, StreamKind kind);
  /// Adds a graph whose nodes are launches with consecutive numbers from `first`. `within[i]` contains the
  /// nodes for which node i waits, numbered within the graph. Returns for each node the numbers of the
  /// launches for which the node waits.
  std::vector<std::vector<uint32_t>> add_graph(uint32_t first,
                                               const std::vector<std::vector<uint32_t>>& within,
                                               const void* stream, StreamKind kind);
  /// Handle a call that records an event, and a call that makes a stream wait for an event. Both are also
  /// work of the stream: in the legacy default stream, they follow the work of all blocking streams.
  void record_event(const void* event, const void* stream, StreamKind kind);
  void wait_for_event(const void* stream, StreamKind kind, const void* event);
  /// Handle a call in which the host waits for an event, for a stream, or for all streams. What the host
  /// launches afterwards, into any stream, begins after the work for which it has waited.
  void host_waits_for_event(const void* event);
  void host_waits_for_stream(const void* stream, StreamKind kind);
  void host_waits_for_all();

 private:
  using Launches = std::set<uint32_t>;
  /// For each stream, the latest of its launches for which the host has waited. Earlier ones are omitted:
  /// they precede these launches in the stream.
  using Awaited = std::map<const void*, Launches>;
  Launches before(const void* stream, StreamKind kind) const;
  /// Returns the entry of a stream in which a call has just put work, so that its kind is known.
  Launches& last_of(const void* stream, StreamKind kind);
  void host_waits_for(const void* stream, const Launches& launches);

  struct Stream {
    StreamKind kind = StreamKind::blocking;
    Launches last;    ///< launches of this stream, or before its events, for which its next launch waits
    Awaited awaited;  ///< launches for which the host has waited since the last launch into this stream
  };
  struct Event {
    const void* stream = nullptr;  ///< the stream in which the event was recorded
    Launches launches;
  };
  std::map<const void*, Stream> streams_;
  std::map<const void*, Event> events_;
  Awaited awaited_;  ///< for streams without a launch
};

/// Returns whether at least two launches may run at the same time. `after[i]` contains the launches for which
/// launch i waits. Returns false if each launch waits for its predecessor.
bool may_overlap(const std::vector<std::vector<uint32_t>>& after);

}  // namespace kjoule::cuda
