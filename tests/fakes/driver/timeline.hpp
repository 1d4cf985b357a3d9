#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace stand_in {

/// Where a stream has got to. Operations are made when they are issued or, if deferred, when the host waits;
/// this says when a device would have made them.
struct Position {
  double free_ns = 0;   ///< when what came before is done
  uint64_t before = 0;  ///< what ran last; 0 when the stream was drained
};

/// Virtual nanoseconds that an operation takes there: some for what it is, some for its bytes, and a few per
/// cent more or less for what ran before it. FAKE_CUDA_SEED adds noise.
double run_at(Position& position, uint64_t what, size_t bytes, double bytes_a_ns);

/// An event record inside of a graph: costs time, and what comes after it begins on a drained device.
void drain_at(Position& position);

uint64_t identity_of(const std::string& name);

}  // namespace stand_in
