#pragma once
#include <cstdint>
#include <vector>

#include "base/json/json_fields.hpp"

namespace kjoule {

/// The distances in time between successive stamps of one graph, over all its replays. A stamp is a kernel
/// that writes the device's clock. Positions count the launches of an endlessly repeated iteration: with n
/// launches, position p is launch p % n.
struct StampedGraph {
  std::vector<uint32_t> stamped_after;  ///< the positions that are followed by stamps, in ascending order
  std::vector<double> mean_s;           ///< mean distance from each stamp to the next
  std::vector<double> spread_s;         ///< standard deviation of each distance between replays
};

/// Returns mean and spread of each distance over the replays of one graph. `seconds` contains the distances
/// between successive stamps, first all of the first replay, then all of the second replay, and so on. The
/// mean omits the shortest and the longest tenth of the replays; the spread comes from the median absolute
/// deviation. Throws Error if the number of distances does not match the stamps.
StampedGraph summarize_replays(std::vector<uint32_t> stamped_after, const std::vector<double>& seconds);

/// The form in which a StampedGraph is stored in rows. It is short: it has numbers of launches between stamps
/// instead of positions, and times in ns with one decimal place, which is finer than any clock of stamps.
struct StoredGraph {
  uint32_t first = 0;          ///< position of the first stamp
  std::vector<uint32_t> gaps;  ///< number of launches from each stamp to the next
  std::vector<double> mean_ns, spread_ns;
};
template <class Fields>
void describe(Fields& fields, StoredGraph& graph) {
  fields("first", graph.first);
  fields("gaps", graph.gaps);
  fields("mean_ns", graph.mean_ns);
  fields("spread_ns", graph.spread_ns);
}
StoredGraph to_stored(const StampedGraph& graph);
StampedGraph from_stored(const StoredGraph& graph);
template <class Fields>
void describe(Fields& fields, StampedGraph& graph) {
  fields.through(graph, to_stored, from_stored);
}

}  // namespace kjoule
