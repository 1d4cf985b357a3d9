#pragma once
#include <cstdint>
#include <vector>

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

}  // namespace kjoule
