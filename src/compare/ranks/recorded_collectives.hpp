#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "recording/recording.hpp"

namespace kjoule {

/// What is known of an operation that synchronises all ranks of its communicator.
struct SynchronisingOperation {
  std::string_view name;
  bool states_part;  ///< whether the messages state the size of the part of one rank
  double factor;     ///< of the bus bandwidth for one rank: 1 for (n-1)/n, 2 for 2(n-1)/n
};

/// Returns the operation that a function or a kernel of NCCL is named after; null if it synchronises no
/// ranks.
const SynchronisingOperation* synchronising(std::string_view name);

/// A collective in a rank's recorded iteration.
struct RecordedCollective {
  std::string operation;      ///< function of NCCL, or the kernel's name if the function is not known
  uint64_t communicator = 0;  ///< hash of the communicator; 0 if it is not known
  uint64_t bytes = 0;         ///< size of the data that the rank passes; 0 if it is not known
  LaunchIndex launch = 0;     ///< its place in the iteration

  /// Returns whether both are of one kind: operation, communicator and size are equal.
  bool is_like(const RecordedCollective& other) const {
    return operation == other.operation && communicator == other.communicator && bytes == other.bytes;
  }
};

/// Returns the collective that is the launch `launch` of the recording.
RecordedCollective collective_at(const Recording& recording, LaunchIndex launch);
/// Returns the collectives of a recording: the kernels of NCCL that exchange data, in order.
std::vector<RecordedCollective> recorded_collectives(const Recording& recording);

}  // namespace kjoule
