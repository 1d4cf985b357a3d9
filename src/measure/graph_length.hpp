#pragma once
#include <cstddef>
#include <cstdint>

namespace kjoule {

/// Number of iterations, of `launches` launches each, that a graph plays before the whole begins. They bring
/// the launch queue and the caches into the state that they have in the program.
uint32_t lead_iterations(size_t launches);

/// Iterations between two stamps that last a millisecond together (30,000 steps of an H200's clock), or as
/// many as a graph should have.
uint32_t iterations_to_time(double iteration_s, size_t launches);

}  // namespace kjoule
