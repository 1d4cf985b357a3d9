#pragma once
#include <cuda.h>

#include <array>
#include <cstdint>

#include "cuda/calls/call.hpp"
#include "cuda/calls/driver_calls.hpp"

namespace kjoule::cuda {

/// Hashes by which launches are compared while the program runs. Equal launches have equal hashes.
struct LaunchHashes {
  /// Hash of a kernel launch without arguments and attributes, or of a copy or memset without addresses. The
  /// signature (recorded_launches.hpp) contains a different hash, which also covers arguments.
  uint64_t shape_hash;
  uint64_t argument_hash;  ///< hash of a kernel's exact arguments, or of the addresses of a copy or memset
};
/// Returns the shape hash of a launch that the program is about to make. Must not be called for graphs.
uint64_t hash_shape(const LaunchView& view);
/// Returns the hashes of a recorded launch. The shape hash equals the result of hash_shape() for the
/// LaunchView of this launch.
LaunchHashes hash_launch(const Call& call);

/// Returns a hash of a kernel launch without its arguments and attributes. `seed` is a hash of further
/// properties of the launch.
uint64_t hash_kernel_shape(CUfunction function, const std::array<unsigned, 3>& grid,
                           const std::array<unsigned, 3>& block, unsigned shared_bytes, uint64_t seed = 0);

}  // namespace kjoule::cuda
