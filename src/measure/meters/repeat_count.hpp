#pragma once
#include <cstddef>

namespace kjoule {

/// Returns the smallest number of repeats of `each_s` seconds that take at least `least_s` seconds, limited
/// to the range from 1 to `most`; `most` if `each_s` is 0 (not known).
int repeats_to_fill(double least_s, double each_s, int most);

/// The limits of a graph that contains copies of some launches.
struct GraphLimits {
  double least_s = 0;  ///< shortest time of the graph, if the other limits allow it
  int most_copies = 1;
  size_t most_launches = 1;  ///< of all copies together; one copy may have more
};
/// Returns the number of copies in a graph, of `launches` launches that take `each_s` seconds together.
int copies_in_graph(const GraphLimits& limits, double each_s, size_t launches);

/// Returns the number of iterations that are replayed before memory is restored, when the whole is repeated.
/// One iteration takes `iteration_s` seconds.
int iterations_in_repeat(double iteration_s);

}  // namespace kjoule
