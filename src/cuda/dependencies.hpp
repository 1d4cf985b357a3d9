#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace kjoule::inject {

/// How a stream stands to the default one.
enum class StreamKind {
  legacy,        ///< the default stream itself: waits for all blocking ones, and they for it
  blocking,      ///< any other, unless it was made otherwise
  non_blocking,  ///< waits only for what it is told to
};

/// Which launches each launch waits for, as the program's streams and events say. Streams and events are
/// known by their addresses; what was recorded before the first launch does not count.
class Dependencies {
 public:
  /// Launches get numbers from 0 as they come. Those that launch number `launch` waits for, ascending.
  std::vector<uint32_t> launched(uint32_t launch, const void* stream, StreamKind kind);
  /// A graph whose nodes are launches of consecutive numbers from `first` on; `within[i]` are the nodes, as
  /// numbers within the graph, that node i waits for. Returns the launches that each one waits for.
  std::vector<std::vector<uint32_t>> graph_launched(uint32_t first,
                                                    const std::vector<std::vector<uint32_t>>& within,
                                                    const void* stream, StreamKind kind);
  void event_recorded(const void* event, const void* stream);
  void stream_waits(const void* stream, const void* event);

 private:
  using Launches = std::set<uint32_t>;
  Launches before(const void* stream, StreamKind kind) const;

  struct Stream {
    StreamKind kind = StreamKind::blocking;
    Launches last;  ///< after which the next launch may begin
  };
  std::map<const void*, Stream> streams_;
  std::map<const void*, Launches> events_;
};

/// Whether the launches may run at the same time at all: not so when each waits for the one before it.
bool may_overlap(const std::vector<std::vector<uint32_t>>& after);

}  // namespace kjoule::inject
