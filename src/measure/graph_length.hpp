#pragma once
#include <cstddef>
#include <cstdint>

namespace kjoule {

/// Iterations of `launches` launches each that a graph has before its first stamp: so many launches that
/// queues and caches are as in the midst of the program, and that there is room for stamps before the whole.
uint32_t lead_iterations(size_t launches);

/// Iterations between two stamps that last a millisecond together (30,000 steps of an H200's clock), or as
/// many as a graph should have.
uint32_t iterations_to_time(double iteration_s, size_t launches);

}  // namespace kjoule
