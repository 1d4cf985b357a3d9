#pragma once
#include <cstdint>
#include <vector>

#include "cuda/calls/driver_calls.hpp"
#include "cuda/calls/function_table.hpp"
#include "cuda/driver/allocations.hpp"

namespace kjoule::cuda {

/// The parameters of a launch that are addresses in the program's allocations.
struct LaunchPointers {
  /// Hash of these parameters and their positions; 0 if there are none. Launches with equal hashes use the
  /// same memory.
  uint64_t address_hash = 0;
  /// The pinned host memory that replays of the launch use, as start addresses of allocations.
  std::vector<uint64_t> host;
  bool is_collective = false;  ///< whether the launch is a collective
};

/// Returns the pointers of a launch. The words of a structure that is passed by value are examined one by
/// one. Must not be called for graphs.
LaunchPointers read_pointers(const LaunchView& view, const Allocations& allocations,
                             FunctionTable& functions);

/// Returns the pinned host memory to which a kernel's arguments point, as start addresses of allocations.
std::vector<uint64_t> host_memory_of(const KernelCall& call, const Allocations& allocations);

}  // namespace kjoule::cuda
