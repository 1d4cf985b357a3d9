// Changes to executable graphs. A node is named by its handle in the graph that was instantiated, or in that
// graph's child graphs.

#include <algorithm>
#include <functional>

#include "entry.hpp"
#include "graphs.hpp"

using namespace stand_in;  // NOLINT(google-build-using-namespace): this file is nothing but its types

/// Returns the executable graph's own node, which may be in a child graph; null if there is none.
static CUgraphNode_st* find(CUgraph_st& graph, CUgraphNode handle) {
  for (const auto& node : graph.nodes) {
    if (node->id == handle->id) return node.get();
    if (const auto* child = std::get_if<ChildWork>(&node->work))
      if (CUgraphNode_st* found = find(*child->graph, handle)) return found;
  }
  return nullptr;
}

/// Takes over the work of the nodes of a graph of the same form; the ids of the own nodes stay.
static bool take_over(CUgraph_st& own, const CUgraph_st& other) {
  const auto alike = [](const auto& a, const auto& b) { return a->work.index() == b->work.index(); };
  if (!std::ranges::equal(own.nodes, other.nodes, alike)) return false;
  for (size_t i = 0; i < own.nodes.size(); ++i) {
    auto* child = std::get_if<ChildWork>(&own.nodes[i]->work);
    if (child == nullptr)
      own.nodes[i]->work = other.nodes[i]->work;
    else if (!take_over(*child->graph, *std::get<ChildWork>(other.nodes[i]->work).graph))
      return false;
  }
  return true;
}

/// Changes a node that must be of this kind.
template <typename Kind>
static CUresult change(CUgraphExec executable, CUgraphNode handle,
                       const std::function<CUresult(Kind&)>& how) {
  CUgraphNode_st* node = find(*executable->graph, handle);
  auto* work = node == nullptr ? nullptr : std::get_if<Kind>(&node->work);
  return work == nullptr ? CUDA_ERROR_INVALID_VALUE : how(*work);
}

static CUresult set_kernel(CUgraphExec executable, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS& p) {
  return change<KernelWork>(executable, node, [&](KernelWork& work) {
    KernelWork changed;
    const CUresult result = read_kernel(p, changed);
    changed.attributes = work.attributes;
    if (result == CUDA_SUCCESS) work = changed;
    return result;
  });
}
static CUresult set_copy(CUgraphExec executable, CUgraphNode node, const CUDA_MEMCPY3D& p) {
  return change<CopyWork>(executable, node, [&](CopyWork& work) {
    work.shape = p;
    return CUDA_SUCCESS;
  });
}
static CUresult set_memset(CUgraphExec executable, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS& p) {
  return change<SetWork>(executable, node, [&](SetWork& work) {
    work.what = p;
    return CUDA_SUCCESS;
  });
}
static CUresult set_child(CUgraphExec executable, CUgraphNode node, const CUgraph_st& graph) {
  return change<ChildWork>(executable, node, [&](ChildWork& work) {
    return take_over(*work.graph, graph) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

DRIVER(cuGraphExecKernelNodeSetParams_v2,
       (CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS* nodeParams),
       (hGraphExec, hNode, nodeParams)) {
  return set_kernel(hGraphExec, hNode, *nodeParams);
}
DRIVER(cuGraphExecMemcpyNodeSetParams,
       (CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_MEMCPY3D* copyParams, CUcontext ctx),
       (hGraphExec, hNode, copyParams, ctx)) {
  return set_copy(hGraphExec, hNode, *copyParams);
}
DRIVER(cuGraphExecMemsetNodeSetParams,
       (CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS* memsetParams,
        CUcontext ctx),
       (hGraphExec, hNode, memsetParams, ctx)) {
  return set_memset(hGraphExec, hNode, *memsetParams);
}
DRIVER(cuGraphExecChildGraphNodeSetParams, (CUgraphExec hGraphExec, CUgraphNode hNode, CUgraph childGraph),
       (hGraphExec, hNode, childGraph)) {
  return set_child(hGraphExec, hNode, *childGraph);
}
DRIVER(cuGraphExecNodeSetParams, (CUgraphExec hGraphExec, CUgraphNode hNode, CUgraphNodeParams* nodeParams),
       (hGraphExec, hNode, nodeParams)) {
  const CUgraphNodeParams& p = *nodeParams;
  switch (p.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return set_kernel(hGraphExec, hNode,
                        {p.kernel.func, p.kernel.gridDimX, p.kernel.gridDimY, p.kernel.gridDimZ,
                         p.kernel.blockDimX, p.kernel.blockDimY, p.kernel.blockDimZ, p.kernel.sharedMemBytes,
                         p.kernel.kernelParams, p.kernel.extra, p.kernel.kern, p.kernel.ctx});
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return set_copy(hGraphExec, hNode, p.memcpy.copyParams);
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return set_memset(hGraphExec, hNode,
                        {p.memset.dst, p.memset.pitch, p.memset.value, p.memset.elementSize, p.memset.width,
                         p.memset.height});
    case CU_GRAPH_NODE_TYPE_GRAPH:
      return set_child(hGraphExec, hNode, *p.graph.graph);
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}
DRIVER(cuGraphNodeSetEnabled, (CUgraphExec hGraphExec, CUgraphNode hNode, unsigned isEnabled),
       (hGraphExec, hNode, isEnabled)) {
  CUgraphNode_st* node = find(*hGraphExec->graph, hNode);
  if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  node->enabled = isEnabled != 0;
  return CUDA_SUCCESS;
}

DRIVER(cuGraphExecUpdate_v2,
       (CUgraphExec hGraphExec, CUgraph hGraph, CUgraphExecUpdateResultInfo* resultInfo),
       (hGraphExec, hGraph, resultInfo)) {
  const bool same = take_over(*hGraphExec->graph, *hGraph);
  *resultInfo = {same ? CU_GRAPH_EXEC_UPDATE_SUCCESS : CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, nullptr,
                 nullptr};
  return same ? CUDA_SUCCESS : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}
