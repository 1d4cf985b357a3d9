#pragma once
#include <cstdint>
#include <vector>

#include "base/json_fields.hpp"

namespace kjoule {

/// Distances of successive stamps of one graph, over all its plays. A stamp is a kernel that writes the
/// device's clock; positions count the launches of the endless iteration, so that position p of n launches is
/// launch p % n.
struct StampedGraph {
  std::vector<uint32_t> after;   ///< the positions that stamps follow, rising
  std::vector<double> mean_s;    ///< from each stamp to the next; one fewer than stamps
  std::vector<double> spread_s;  ///< likewise; the standard deviation of one play
};

/// What the plays of one graph say together. `seconds` has a row for each play, with the distances of
/// successive stamps. The mean leaves out a tenth of the plays at either end, the spread is taken from the
/// median absolute deviation. Throws Error when the rows do not fit the stamps.
StampedGraph summarize_plays(std::vector<uint32_t> after, const std::vector<double>& seconds);

/// A StampedGraph as rows keep it: the place of the first stamp and the gaps between stamps, which are small
/// numbers, and times in ns to a tenth, finer than any clock that stamps are written with.
struct StoredGraph {
  uint32_t first = 0;
  std::vector<uint32_t> gaps;
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
