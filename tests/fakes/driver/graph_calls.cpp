// Graphs: creation by calls, queries, instantiation and launches.

#include <algorithm>
#include <cstring>

#include "deferred.hpp"
#include "entry.hpp"
#include "graphs.hpp"
#include "streams.hpp"

using namespace stand_in;  // NOLINT(google-build-using-namespace): this file is nothing but its types

DRIVER(cuGraphCreate, (CUgraph * phGraph, unsigned flags), (phGraph, flags)) {
  *phGraph = make_graph();
  return CUDA_SUCCESS;
}
DRIVER(cuGraphDestroy, (CUgraph hGraph), (hGraph)) {
  delete hGraph;
  return CUDA_SUCCESS;
}

CUresult stand_in::read_kernel(const CUDA_KERNEL_NODE_PARAMS& p, KernelWork& work) {
  CUfunction function = p.func != nullptr ? p.func : reinterpret_cast<CUfunction>(p.kern);
  return make_kernel_work(function,
                          {{p.gridDimX, p.gridDimY, p.gridDimZ}, {p.blockDimX, p.blockDimY, p.blockDimZ}},
                          p.sharedMemBytes, p.kernelParams, p.extra, work);
}

DRIVER(cuGraphAddKernelNode_v2,
       (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies, size_t numDependencies,
        const CUDA_KERNEL_NODE_PARAMS* nodeParams),
       (phGraphNode, hGraph, dependencies, numDependencies, nodeParams)) {
  KernelWork work;
  const CUresult result = read_kernel(*nodeParams, work);
  if (result == CUDA_SUCCESS) *phGraphNode = add_node(hGraph, work, dependencies, nullptr, numDependencies);
  return result;
}
DRIVER(cuGraphAddMemcpyNode,
       (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies, size_t numDependencies,
        const CUDA_MEMCPY3D* copyParams, CUcontext ctx),
       (phGraphNode, hGraph, dependencies, numDependencies, copyParams, ctx)) {
  *phGraphNode = add_node(hGraph, CopyWork{*copyParams}, dependencies, nullptr, numDependencies);
  return CUDA_SUCCESS;
}
DRIVER(cuGraphAddMemsetNode,
       (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies, size_t numDependencies,
        const CUDA_MEMSET_NODE_PARAMS* memsetParams, CUcontext ctx),
       (phGraphNode, hGraph, dependencies, numDependencies, memsetParams, ctx)) {
  *phGraphNode = add_node(hGraph, SetWork{*memsetParams}, dependencies, nullptr, numDependencies);
  return CUDA_SUCCESS;
}
DRIVER(cuGraphAddEmptyNode,
       (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies, size_t numDependencies),
       (phGraphNode, hGraph, dependencies, numDependencies)) {
  *phGraphNode = add_node(hGraph, EmptyWork{}, dependencies, nullptr, numDependencies);
  return CUDA_SUCCESS;
}
DRIVER(cuGraphAddEventRecordNode,
       (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies, size_t numDependencies,
        CUevent event),
       (phGraphNode, hGraph, dependencies, numDependencies, event)) {
  *phGraphNode = add_node(hGraph, RecordWork{event}, dependencies, nullptr, numDependencies);
  return CUDA_SUCCESS;
}
DRIVER(cuGraphAddEventWaitNode,
       (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies, size_t numDependencies,
        CUevent event),
       (phGraphNode, hGraph, dependencies, numDependencies, event)) {
  *phGraphNode = add_node(hGraph, WaitWork{event}, dependencies, nullptr, numDependencies);
  return CUDA_SUCCESS;
}
DRIVER(cuGraphAddChildGraphNode,
       (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies, size_t numDependencies,
        CUgraph childGraph),
       (phGraphNode, hGraph, dependencies, numDependencies, childGraph)) {
  *phGraphNode = add_node(hGraph, ChildWork{copy_of(*childGraph)}, dependencies, nullptr, numDependencies);
  return CUDA_SUCCESS;
}
DRIVER(cuGraphAddHostNode,
       (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies, size_t numDependencies,
        const CUDA_HOST_NODE_PARAMS* nodeParams),
       (phGraphNode, hGraph, dependencies, numDependencies, nodeParams)) {
  *phGraphNode = add_node(hGraph, HostWork{*nodeParams}, dependencies, nullptr, numDependencies);
  return CUDA_SUCCESS;
}
/// Supports only those kinds of nodes that have no function of their own.
DRIVER(cuGraphAddNode_v2,
       (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
        const CUgraphEdgeData* dependencyData, size_t numDependencies, CUgraphNodeParams* nodeParams),
       (phGraphNode, hGraph, dependencies, dependencyData, numDependencies, nodeParams)) {
  if (nodeParams->type != CU_GRAPH_NODE_TYPE_CONDITIONAL) return CUDA_ERROR_NOT_SUPPORTED;
  *phGraphNode = add_node(hGraph, ConditionalWork{}, dependencies, dependencyData, numDependencies);
  return CUDA_SUCCESS;
}
DRIVER(cuGraphAddDependencies_v2,
       (CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to, const CUgraphEdgeData* edgeData,
        size_t numDependencies),
       (hGraph, from, to, edgeData, numDependencies)) {
  for (size_t i = 0; i < numDependencies; ++i) {
    to[i]->from.push_back(from[i]);
    to[i]->edges.push_back(edgeData == nullptr ? CUgraphEdgeData{} : edgeData[i]);
  }
  return CUDA_SUCCESS;
}

DRIVER(cuGraphGetNodes, (CUgraph hGraph, CUgraphNode* nodes, size_t* numNodes), (hGraph, nodes, numNodes)) {
  const size_t count = hGraph->nodes.size();
  if (nodes != nullptr)
    for (size_t i = 0; i < std::min(count, *numNodes); ++i) nodes[i] = hGraph->nodes[i].get();
  *numNodes = count;
  return CUDA_SUCCESS;
}

DRIVER(cuGraphGetEdges_v2,
       (CUgraph hGraph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* edgeData, size_t* numEdges),
       (hGraph, from, to, edgeData, numEdges)) {
  size_t number = 0;
  for (const auto& node : hGraph->nodes)
    for (size_t i = 0; i < node->from.size(); ++i, ++number) {
      if (from == nullptr || number >= *numEdges) continue;
      from[number] = node->from[i];
      to[number] = node.get();
      if (edgeData != nullptr) edgeData[number] = node->edges[i];
    }
  *numEdges = number;
  return CUDA_SUCCESS;
}

DRIVER(cuGraphNodeGetType, (CUgraphNode hNode, CUgraphNodeType* type), (hNode, type)) {
  // in the order of the alternatives of Work
  constexpr CUgraphNodeType kTypes[] = {
      CU_GRAPH_NODE_TYPE_EMPTY,     CU_GRAPH_NODE_TYPE_KERNEL,       CU_GRAPH_NODE_TYPE_MEMCPY,
      CU_GRAPH_NODE_TYPE_MEMSET,    CU_GRAPH_NODE_TYPE_EVENT_RECORD, CU_GRAPH_NODE_TYPE_WAIT_EVENT,
      CU_GRAPH_NODE_TYPE_GRAPH,     CU_GRAPH_NODE_TYPE_HOST,         CU_GRAPH_NODE_TYPE_CONDITIONAL,
      CU_GRAPH_NODE_TYPE_MEM_ALLOC, CU_GRAPH_NODE_TYPE_MEM_FREE};
  static_assert(std::size(kTypes) == std::variant_size_v<Work>);
  *type = kTypes[hNode->work.index()];
  return CUDA_SUCCESS;
}

/// Returns the work of a node; null if it is of another kind.
template <typename Kind>
static Kind* as(CUgraphNode node) {
  return std::get_if<Kind>(&node->work);
}

DRIVER(cuGraphKernelNodeGetParams_v2, (CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS* nodeParams),
       (hNode, nodeParams)) {
  auto* work = as<KernelWork>(hNode);
  if (work == nullptr) return CUDA_ERROR_INVALID_VALUE;
  work->pointers.clear();
  for (const auto& [offset, size] : work->function->callable.kernel->parameters)
    work->pointers.push_back(work->arguments.data() + offset);
  const auto& [grid, block] = work->dimensions;
  const bool is_kernel = work->function->callable.is_kernel;
  *nodeParams = {is_kernel ? nullptr : work->function,
                 grid[0],
                 grid[1],
                 grid[2],
                 block[0],
                 block[1],
                 block[2],
                 work->shared_bytes,
                 work->pointers.data(),
                 nullptr,
                 is_kernel ? reinterpret_cast<CUkernel>(work->function) : nullptr,
                 nullptr};
  return CUDA_SUCCESS;
}

DRIVER(cuGraphKernelNodeGetAttribute,
       (CUgraphNode hNode, CUkernelNodeAttrID attr, CUkernelNodeAttrValue* value_out),
       (hNode, attr, value_out)) {
  const auto* work = as<KernelWork>(hNode);
  if (work == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *value_out = {};
  for (const CUlaunchAttribute& attribute : work->attributes)
    if (attribute.id == attr) *value_out = attribute.value;
  return CUDA_SUCCESS;
}

DRIVER(cuGraphMemcpyNodeGetParams, (CUgraphNode hNode, CUDA_MEMCPY3D* nodeParams), (hNode, nodeParams)) {
  const auto* work = as<CopyWork>(hNode);
  if (work == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *nodeParams = work->shape;
  return CUDA_SUCCESS;
}
DRIVER(cuGraphMemsetNodeGetParams, (CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS* nodeParams),
       (hNode, nodeParams)) {
  const auto* work = as<SetWork>(hNode);
  if (work == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *nodeParams = work->what;
  return CUDA_SUCCESS;
}
DRIVER(cuGraphChildGraphNodeGetGraph, (CUgraphNode hNode, CUgraph* phGraph), (hNode, phGraph)) {
  const auto* work = as<ChildWork>(hNode);
  if (work == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *phGraph = work->graph.get();
  return CUDA_SUCCESS;
}

DRIVER(cuGraphMemAllocNodeGetParams, (CUgraphNode hNode, CUDA_MEM_ALLOC_NODE_PARAMS* params_out),
       (hNode, params_out)) {
  const auto* work = as<AllocateWork>(hNode);
  if (work == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *params_out = {};
  params_out->bytesize = work->bytes;
  params_out->dptr = work->address;
  return CUDA_SUCCESS;
}

static CUresult instantiate(CUgraphExec* executable, const CUgraph_st& graph) {
  if (!has_order(graph)) return CUDA_ERROR_INVALID_VALUE;
  *executable = new CUgraphExec_st{graph.id, copy_of(graph)};
  return CUDA_SUCCESS;
}

DRIVER(cuGraphInstantiateWithFlags, (CUgraphExec * phGraphExec, CUgraph hGraph, unsigned long long flags),
       (phGraphExec, hGraph, flags)) {
  return instantiate(phGraphExec, *hGraph);
}
DRIVER(cuGraphInstantiateWithParams,
       (CUgraphExec * phGraphExec, CUgraph hGraph, CUDA_GRAPH_INSTANTIATE_PARAMS* instantiateParams),
       (phGraphExec, hGraph, instantiateParams)) {
  const CUresult result = instantiate(phGraphExec, *hGraph);
  instantiateParams->result_out =
      result == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS : CUDA_GRAPH_INSTANTIATE_ERROR;
  return result;
}
DRIVER(cuGraphUpload, (CUgraphExec hGraphExec, CUstream hStream), (hGraphExec, hStream)) {
  return CUDA_SUCCESS;
}

/// Within a capture, the graph becomes a child graph.
DRIVER(cuGraphLaunch, (CUgraphExec hGraphExec, CUstream hStream), (hGraphExec, hStream)) {
  CUstream_st& stream = stream_of(hStream);
  if (stream.capture) return issue(ChildWork{copy_of(*hGraphExec->graph)}, hStream);
  stand_in::do_or_defer(
      [hGraphExec, &stream] {
        const stand_in::Running running(stream.context);
        Position& position = begin_on(stream);
        position.before = 0;
        try {
          run_graph(*hGraphExec->graph, position, {.stream = stream.id, .node = 0, .graph = hGraphExec->id});
        } catch (const IllegalAddress& fault) {
          lose_context(fault.what());
        }
      },
      stream.id);
  return CUDA_SUCCESS;
}

DRIVER(cuGraphExecDestroy, (CUgraphExec hGraphExec), (hGraphExec)) {
  delete hGraphExec;
  return CUDA_SUCCESS;
}
