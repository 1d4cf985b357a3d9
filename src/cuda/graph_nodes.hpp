#pragma once
#include <cuda.h>

#include <string>
#include <vector>

#include "cuda/call.hpp"
#include "cuda/function_table.hpp"

namespace kjoule::cuda {

/// The launches of a graph, including those of its child graphs.
struct ExpandedGraph {
  struct Node {
    Call call;
    CUgraphNode handle = nullptr;
    std::vector<uint32_t> waits_for;  ///< nodes that this one waits for, ascending
    bool enabled = true;
  };
  std::vector<Node> nodes;  ///< sorted so that each node follows those that it waits for
  /// A node that cannot be replayed (a host function, a conditional); empty if there is none.
  std::string not_replayable;
};

/// Returns the launches of a graph. Host ends of copies still refer to the program's memory. Throws
/// DeviceError when the graph cannot be read.
ExpandedGraph expand_graph(CUgraph graph, FunctionTable& functions);

/// Returns the launch that a kernel node with these parameters and attributes makes.
Call kernel_call(const CUDA_KERNEL_NODE_PARAMS& parameters, const std::vector<CUlaunchAttribute>& attributes,
                 FunctionTable& functions);
Call memset_call(const CUDA_MEMSET_NODE_PARAMS& parameters);

}  // namespace kjoule::cuda
