#pragma once
#include <cuda.h>
#include <cupti.h>

#include <unordered_map>
#include <vector>

#include "cuda/graph_nodes.hpp"

namespace kjoule::driver {

/// The launches of every graph that the program has instantiated, as later changes leave them. Kept at
/// instantiation: programs destroy the graph afterwards.
class Graphs {
 public:
  /// A node of a kind that cannot be replayed is remembered and reported when the graph is asked for.
  void instantiated(CUgraphExec executable, CUgraph graph, Functions& functions);
  /// A call that changes an executable graph has succeeded.
  void changed(CUpti_CallbackId id, const void* parameters, Functions& functions);
  void destroyed(CUgraphExec executable) { kept_.erase(executable); }

  /// What tells a graph from another: its launches, whatever its handle. Of an unknown one its handle.
  struct Identity {
    LaunchHashes hashes;
    uint64_t launches;
  };
  Identity identity(CUgraphExec executable) const;

  struct Launches {
    std::vector<Call> calls;                   ///< in an order that respects the dependencies
    std::vector<std::vector<uint32_t>> after;  ///< for each, those that it waits for
  };
  /// Copies still name the program's memory: what the host sends is what stands there when the graph is
  /// launched. Throws Error for an unknown graph or one with refused nodes.
  Launches launches(CUgraphExec executable) const;

 private:
  struct Kept {
    ExpandedGraph graph;
    Identity identity;
  };
  void replace(ExpandedGraph& graph, CUgraphNode node, Call call);
  void change(ExpandedGraph& graph, CUpti_CallbackId id, const void* parameters, Functions& functions);

  std::unordered_map<CUgraphExec, Kept> kept_;
};

}  // namespace kjoule::driver
