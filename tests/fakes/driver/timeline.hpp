#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace stand_in {

/// The position of a stream on the virtual timeline. Operations are executed when they are issued or, if
/// deferred, when the host waits; the position is the time at which a device would have executed them.
struct Position {
  double free_ns = 0;   ///< virtual time at which the previous work is complete
  uint64_t before = 0;  ///< the operation that ran last; 0 if the stream was drained
};

/// Runs an operation at the position and returns its time in virtual ns: a part for its kind, a part for its
/// bytes, and a few per cent more or less for the operation before it. FAKE_CUDA_SEED adds noise.
double run_at(Position& position, uint64_t what, size_t bytes, double bytes_a_ns);

/// Runs an event record within a graph: it takes time, and later work begins on a drained device.
void drain_at(Position& position);

/// Returns the factor FAKE_CUDA_SLOWNESS=N, by which all operations take longer.
double slowness();

uint64_t identity_of(const std::string& name);

}  // namespace stand_in
