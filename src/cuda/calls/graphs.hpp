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

/// The launches of every graph that the program has instantiated, including later changes. They are read at
/// instantiation, because programs destroy the graph afterwards.
class Graphs {
 public:
  /// Adds a graph. A node that cannot be replayed is reported later, by launches().
  void add(CUgraphExec executable, CUgraph graph, FunctionTable& functions);
  /// Applies a successful driver call that changes an executable graph.
  void apply_change(CUpti_CallbackId id, const void* parameters, FunctionTable& functions);
  void remove(CUgraphExec executable) { entries_.erase(executable); }
  /// Returns whether there is a graph.
  bool any() const { return !entries_.empty(); }

  /// Identifies a graph by its launches, so that graphs with the same launches are equal. An unknown graph is
  /// identified by its handle.
  struct Identity {
    LaunchHashes hashes;
    uint64_t launches;
    uint64_t collectives = 0;
    std::vector<uint64_t> host{};  ///< pinned memory of the host that its kernels are given, by its addresses
  };
  Identity identity(CUgraphExec executable, const Allocations& allocations);

  struct Launches {
    std::vector<Call> calls;  ///< sorted so that each launch follows those that it waits for
    std::vector<std::vector<uint32_t>> waits_for;  ///< for each launch, those that it waits for
    std::vector<Allocation> memory;                ///< that the graph allocates
    size_t host_functions = 0;                     ///< that the graph calls
  };
  /// Returns the launches of a graph. Host ends of copies still refer to the program's memory. Throws Error
  /// for an unknown graph, and for one with a node that cannot be replayed.
  Launches launches(CUgraphExec executable) const;

 private:
  struct Entry {
    GraphNodes nodes;
    std::optional<Identity> identity;  ///< determined when it is asked for
    std::string unknown_change;        ///< a change that could not be followed; empty if there is none
  };
  static void change(Entry& entry, CUpti_CallbackId id, const void* parameters, FunctionTable& functions);

  std::unordered_map<CUgraphExec, Entry> entries_;
};

}  // namespace kjoule::cuda
