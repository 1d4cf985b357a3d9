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
  /// Handle a call that records an event, and a call that makes a stream wait for an event.
  void record_event(const void* event, const void* stream);
  void wait_for_event(const void* stream, const void* event);

 private:
  using Launches = std::set<uint32_t>;
  Launches before(const void* stream, StreamKind kind) const;

  struct Stream {
    StreamKind kind = StreamKind::blocking;
    Launches last;  ///< launches for which the stream's next launch waits
  };
  std::map<const void*, Stream> streams_;
  std::map<const void*, Launches> events_;
};

/// Returns whether at least two launches may run at the same time. `after[i]` contains the launches for which
/// launch i waits. Returns false if each launch waits for its predecessor.
bool may_overlap(const std::vector<std::vector<uint32_t>>& after);

}  // namespace kjoule::cuda
