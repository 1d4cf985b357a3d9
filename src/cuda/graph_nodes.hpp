#pragma once
#include <cuda.h>

#include <string>
#include <vector>

#include "cuda/call.hpp"
#include "cuda/reader.hpp"

namespace kjoule::driver {

/// A graph's launches, those of its child graphs among them.
struct ExpandedGraph {
  struct Node {
    Call call;
    CUgraphNode handle = nullptr;
    std::vector<uint32_t> after;  ///< nodes that it waits for, ascending
    bool enabled = true;
  };
  std::vector<Node> nodes;  ///< in an order that respects the dependencies
  std::string refused;      ///< what it holds that cannot be replayed (a host function, a conditional)
};

/// Copies still name the program's memory. Throws DeviceError for a graph that cannot be read.
ExpandedGraph expanded(CUgraph graph, Functions& functions);

/// The launch that a kernel node makes with other parameters; attributes are the node's own.
Call kernel_call(const CUDA_KERNEL_NODE_PARAMS& parameters, const std::vector<CUlaunchAttribute>& attributes,
                 Functions& functions);
Call set_call(const CUDA_MEMSET_NODE_PARAMS& parameters);

}  // namespace kjoule::driver
