#pragma once
#include <cstddef>
#include <cstdint>

namespace kjoule {

/// Returns the number of iterations that a graph contains before the first stamp of the whole: enough for 64
/// launches or for 1 ms, whichever is less. These iterations bring the launch queue and the caches into the
/// same state as in the program. One iteration takes `iteration_s` seconds and has `launches` launches.
uint32_t lead_iterations(double iteration_s, size_t launches);

/// Returns the number of iterations between the two stamps of the whole: enough for 1 ms (30,000 steps of an
/// H200's clock), but at most 10,000 launches, and at least one iteration.
uint32_t iterations_to_time(double iteration_s, size_t launches);

}  // namespace kjoule
