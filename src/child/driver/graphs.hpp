#pragma once
#include <cuda.h>

#include <unordered_map>
#include <vector>

#include "call.hpp"
#include "reader.hpp"

namespace kjoule::driver {

/// The launches of every graph that the program has instantiated. Kept at instantiation: programs destroy the
/// graph afterwards.
class Graphs {
 public:
  /// A node of a kind that cannot be replayed (a host function, a conditional) is remembered and reported
  /// when the graph is asked for.
  void instantiated(CUgraphExec executable, CUgraph graph, Functions& functions);
  /// In an order that respects the dependencies. Copies still name the program's memory: what the host sends
  /// is what stands there when the graph is launched. Throws Error for an unknown graph or one with refused
  /// nodes.
  const std::vector<Call>& calls(CUgraphExec executable) const;

 private:
  struct Kept {
    std::vector<Call> calls;
    std::string refused;
  };
  std::unordered_map<CUgraphExec, Kept> kept_;
};

}  // namespace kjoule::driver
