#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace kjoule::cuda {

/// How a stream is ordered relative to the legacy default stream.
enum class StreamKind {
  legacy,        ///< the default stream itself: waits for all blocking streams, and they wait for it
  blocking,      ///< any other stream that was not created as non-blocking
  non_blocking,  ///< waits only for events
};

/// Determines from the program's streams and events which earlier launches each launch waits for. Streams and
/// events are identified by their addresses. An event that was recorded before the first launch adds no
/// dependency.
class Dependencies {
 public:
  /// Adds launch number `launch` (launches are numbered from 0 in order) and returns the launches that it
  /// waits for, in ascending order.
  std::vector<uint32_t> add_launch(uint32_t launch, const void* stream, StreamKind kind);
  /// Adds a graph whose nodes are launches with consecutive numbers from `first`. `within[i]` contains the
  /// nodes, numbered within the graph, that node i waits for. Returns for each node the launches that it
  /// waits for.
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
    Launches last;  ///< launches that the stream's next launch waits for
  };
  std::map<const void*, Stream> streams_;
  std::map<const void*, Launches> events_;
};

/// Returns whether any two launches may run at the same time. `after[i]` contains the launches that launch i
/// waits for. Nothing overlaps if each launch waits for the previous one.
bool may_overlap(const std::vector<std::vector<uint32_t>>& after);

}  // namespace kjoule::cuda
