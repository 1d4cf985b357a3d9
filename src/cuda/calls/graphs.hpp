#pragma once
#include <cuda.h>
#include <cupti.h>

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "cuda/calls/graph_nodes.hpp"
#include "cuda/calls/launch_hashes.hpp"

namespace kjoule::cuda {

/// The launches of every graph that the program has instantiated, including later changes of the executable
/// graph. The launches are read at instantiation, because programs may destroy the original graph afterwards.
class Graphs {
 public:
  /// Adds a graph. If the graph has a node that cannot be replayed, add() succeeds, and launches() throws
  /// Error.
  void add(CUgraphExec executable, CUgraph graph, FunctionTable& functions);
  /// Applies a successful driver call that changes an executable graph.
  void apply_change(CUpti_CallbackId id, const void* parameters, FunctionTable& functions);
  void remove(CUgraphExec executable) { entries_.erase(executable); }
  /// Returns whether the program has instantiated any graph.
  bool any() const { return !entries_.empty(); }

  /// Identifies a graph by its launches, so that graphs with the same launches are equal. An unknown graph is
  /// identified by its handle.
  struct Identity {
    LaunchHashes hashes;
    uint64_t launches;
    uint64_t collectives = 0;
    /// Addresses of the pinned host memory to which arguments of the graph's kernels point.
    std::vector<uint64_t> host{};
  };
  Identity identity(CUgraphExec executable, const Allocations& allocations);

  struct Launches {
    std::vector<Call> calls;  ///< sorted so that each launch follows the launches for which it waits
    /// For each launch, the indices of the launches for which it waits.
    std::vector<std::vector<uint32_t>> waits_for;
    std::vector<Allocation> memory;  ///< memory that the graph allocates
    size_t host_functions = 0;       ///< number of host functions that the graph calls
  };
  /// Returns the launches of a graph. Copies from or to the host still refer to the program's memory. Throws
  /// Error for an unknown graph, and for a graph with a node that cannot be replayed.
  Launches launches(CUgraphExec executable) const;

 private:
  struct Entry {
    GraphNodes nodes;
    std::optional<Identity> identity;  ///< determined when it is first requested
    /// Description of a change that change_graph() could not apply; empty if there is none.
    std::string unknown_change;
  };
  static void change(Entry& entry, CUpti_CallbackId id, const void* parameters, FunctionTable& functions);

  std::unordered_map<CUgraphExec, Entry> entries_;
};

}  // namespace kjoule::cuda
