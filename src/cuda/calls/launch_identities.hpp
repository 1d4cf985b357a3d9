#pragma once
#include <unordered_map>

#include "cuda/calls/driver_calls.hpp"
#include "cuda/calls/function_table.hpp"
#include "cuda/calls/graphs.hpp"
#include "recording/launch_identity.hpp"

namespace kjoule::cuda {

/// Returns the identity of a launch, which is equal in every start of the program. The code of a kernel is
/// represented by the attributes that the driver reports: registers, local, constant and static shared
/// memory, and architecture. The nodes of a graph may have any order. Both members are 0 for an unknown
/// graph.
LaunchIdentity launch_identity(const LaunchView& view, FunctionTable& functions, const Graphs& graphs);

/// The identities of launches, by a key that is equal for equal launches of this process. Each identity is
/// determined only once.
class LaunchIdentities {
 public:
  const LaunchIdentity& get(uint64_t key, const LaunchView& view, FunctionTable& functions,
                            const Graphs& graphs);
  /// Forgets all identities, because the driver may reuse handles.
  void clear() { known_.clear(); }

 private:
  std::unordered_map<uint64_t, LaunchIdentity> known_;
};

}  // namespace kjoule::cuda
