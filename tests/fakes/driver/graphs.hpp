#pragma once
#include "objects.hpp"

namespace stand_in {

CUgraph make_graph();
/// Adds a node with these dependencies; `edges` may be null.
CUgraphNode add_node(CUgraph graph, const Work& work, const CUgraphNode* from, const CUgraphEdgeData* edges,
                     size_t count);
/// Returns a copy, including child graphs, whose nodes keep their ids.
std::unique_ptr<CUgraph_st> copy_of(const CUgraph_st& graph);
/// Runs one node after another, each after those that it depends on.
void run_graph(const CUgraph_st& graph, Position& position, const Origin& origin);
/// Reads the launch of a kernel node. Returns CUDA_ERROR_INVALID_... if the kernel cannot be launched.
CUresult read_kernel(const CUDA_KERNEL_NODE_PARAMS& p, KernelWork& work);
/// Returns whether its dependencies contain no cycle.
bool has_order(const CUgraph_st& graph);

}  // namespace stand_in
