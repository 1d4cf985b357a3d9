#pragma once
#include "objects.hpp"

namespace stand_in {

CUgraph make_graph();
/// A node with these dependencies; `edges` may be null.
CUgraphNode add_node(CUgraph graph, const Work& work, const CUgraphNode* from, const CUgraphEdgeData* edges,
                     size_t count);
/// With nodes that keep their ids, child graphs copied too.
std::unique_ptr<CUgraph_st> copy_of(const CUgraph_st& graph);
/// One node after another, each after those that it depends on.
void run_graph(const CUgraph_st& graph, Position& position, const Origin& origin);
/// Reads what a kernel node launches. CUDA_ERROR_INVALID_... when it cannot be launched.
CUresult read_kernel(const CUDA_KERNEL_NODE_PARAMS& p, KernelWork& work);
/// Whether its dependencies lead round in no circle.
bool has_order(const CUgraph_st& graph);

}  // namespace stand_in
