#pragma once
#include <cuda.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "cuda/calls/call.hpp"
#include "cuda/calls/function_table.hpp"
#include "cuda/driver/allocations.hpp"

namespace kjoule::cuda {

struct GraphNode;

/// The nodes of a graph, in an order in which each node follows the nodes for which it waits.
using GraphNodes = std::vector<GraphNode>;

/// A node that kjoule cannot replay.
struct UnknownNode {
  std::string what;  ///< description of the node for messages: "a conditional node"
};
/// A node without work on the device: an empty node, an event, or the release of memory.
struct EmptyNode {};
/// A node that calls a host function.
struct HostNode {};
/// A node that allocates memory. The memory stays accessible after the graph has been launched, and several
/// graphs may share it.
struct MemoryNode {
  Allocation memory;
};

/// A node of a graph. Copies from or to the host refer to the program's memory, because a copy sends what
/// this memory contains when the graph is launched.
struct GraphNode {
  CUgraphNode handle = nullptr;
  /// Indices of the nodes of the same graph for which this node waits, ascending.
  std::vector<uint32_t> waits_for;
  bool enabled = true;
  std::variant<EmptyNode, Call, GraphNodes, MemoryNode, HostNode, UnknownNode>
      work;  ///< GraphNodes are the nodes of a child graph
};

/// Returns the nodes of a graph. Throws DeviceError when the graph cannot be read.
GraphNodes read_graph(CUgraph graph, FunctionTable& functions);

/// Returns the launch that a kernel node with these parameters and attributes makes.
Call kernel_call(const CUDA_KERNEL_NODE_PARAMS& parameters, const std::vector<CUlaunchAttribute>& attributes,
                 FunctionTable& functions);
Call copy_call(const CUDA_MEMCPY3D& parameters);
Call memset_call(const CUDA_MEMSET_NODE_PARAMS& parameters);

}  // namespace kjoule::cuda
