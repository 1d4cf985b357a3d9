#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace kjoule {

/// The begin or the end of a piece of work that a trace states in two events (phases B and E, or b and e).
struct EventEdge {
  uint32_t lane = 0;  ///< number of the thread, or of the id, whose events form pairs
  bool is_end = false;
  int64_t at_ns = 0;
  const char* text = nullptr;  ///< position of the event in the trace's text
  std::string_view name;       ///< JSON text; may be empty for an end
};

/// A piece of work: the indices of its begin and its end.
struct EventPair {
  size_t begin = 0, end = 0;
};

/// The pairs of begins and ends, and the begins without an end.
struct EventPairs {
  std::vector<EventPair> pairs;
  std::vector<size_t> without_end;
};

/// Sorts the edges by lane and time, and joins each end with the latest open begin of its lane; if the end
/// has a name, with the latest one of this name. Ends without a begin are ignored.
EventPairs pair_events(std::vector<EventEdge>& edges);

}  // namespace kjoule
