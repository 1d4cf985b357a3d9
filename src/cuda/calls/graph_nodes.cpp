#include "cuda/calls/graph_nodes.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <queue>
#include <set>

#include "cuda/calls/launch_attributes.hpp"
#include "cuda/calls/make_call.hpp"
#include "cuda/driver/check.hpp"

namespace kjoule::cuda {

namespace {

struct Edges {
  std::vector<CUgraphNode> from, to;
  std::vector<CUgraphEdgeData> data;
};

std::vector<CUgraphNode> nodes_of(CUgraph graph) {
  size_t count = 0;
  KJOULE_CU(cuGraphGetNodes(graph, nullptr, &count));
  std::vector<CUgraphNode> nodes(count);
  if (count > 0) KJOULE_CU(cuGraphGetNodes(graph, nodes.data(), &count));
  return nodes;
}

Edges edges_of(CUgraph graph) {
  size_t count = 0;
  KJOULE_CU(cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
  Edges edges{std::vector<CUgraphNode>(count), std::vector<CUgraphNode>(count),
              std::vector<CUgraphEdgeData>(count)};
  if (count > 0)
    KJOULE_CU(cuGraphGetEdges(graph, edges.from.data(), edges.to.data(), edges.data.data(), &count));
  return edges;
}

/// Returns indexes into `nodes` in topological order. Nodes without dependencies between them stay in the
/// order of their creation.
std::vector<size_t> in_order(const std::vector<CUgraphNode>& nodes, const Edges& edges) {
  std::map<CUgraphNode, size_t> place;
  for (size_t i = 0; i < nodes.size(); ++i) place[nodes[i]] = i;
  std::vector<std::vector<size_t>> next(nodes.size());
  std::vector<size_t> waiting(nodes.size(), 0);
  for (size_t e = 0; e < edges.from.size(); ++e) {
    next[place.at(edges.from[e])].push_back(place.at(edges.to[e]));
    ++waiting[place.at(edges.to[e])];
  }
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t i = 0; i < nodes.size(); ++i)
    if (waiting[i] == 0) ready.push(i);
  std::vector<size_t> order;
  while (!ready.empty()) {
    const size_t node = ready.top();
    ready.pop();
    order.push_back(node);
    for (const size_t successor : next[node])
      if (--waiting[successor] == 0) ready.push(successor);
  }
  return order;
}

/// The kernel node attributes that are also launch attributes.
constexpr CUlaunchAttributeID kAttributes[] = {CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW,
                                               CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
                                               CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                               CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
                                               CU_LAUNCH_ATTRIBUTE_PRIORITY,
                                               CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP,
                                               CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN,
                                               CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION,
                                               CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                                               CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING};

/// Returns an attribute of a kernel node; nothing if it is not set.
std::optional<CUlaunchAttribute> attribute_of(CUgraphNode node, CUlaunchAttributeID id) {
  CUlaunchAttribute attribute{};
  attribute.id = id;
  if (cuGraphKernelNodeGetAttribute(node, id, &attribute.value) != CUDA_SUCCESS || !is_set(attribute))
    return {};
  return attribute;
}

std::vector<CUlaunchAttribute> attributes_of(CUgraphNode node, bool programmatic) {
  std::vector<CUlaunchAttribute> attributes;
  for (const CUlaunchAttributeID id : kAttributes)
    if (const auto attribute = attribute_of(node, id)) attributes.push_back(*attribute);
  if (programmatic) {
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    attribute.value.programmaticStreamSerializationAllowed = 1;
    attributes.push_back(attribute);
  }
  return attributes;
}

/// Returns the work of a node. `programmatic` is whether the node may start before a node that it waits for
/// has ended.
decltype(GraphNode::work) read_work(CUgraphNode node, bool programmatic, FunctionTable& functions) {
  CUgraphNodeType type{};
  KJOULE_CU(cuGraphNodeGetType(node, &type));
  switch (type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: {
      if (attribute_of(node, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE))
        return UnknownNode{"a kernel whose parameters the device may change"};
      CUDA_KERNEL_NODE_PARAMS p{};
      KJOULE_CU(cuGraphKernelNodeGetParams(node, &p));
      return kernel_call(p, attributes_of(node, programmatic), functions);
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY: {
      CUDA_MEMCPY3D p{};
      KJOULE_CU(cuGraphMemcpyNodeGetParams(node, &p));
      return copy_call(p);
    }
    case CU_GRAPH_NODE_TYPE_MEMSET: {
      CUDA_MEMSET_NODE_PARAMS p{};
      KJOULE_CU(cuGraphMemsetNodeGetParams(node, &p));
      return memset_call(p);
    }
    case CU_GRAPH_NODE_TYPE_GRAPH: {
      CUgraph child = nullptr;
      KJOULE_CU(cuGraphChildGraphNodeGetGraph(node, &child));
      return read_graph(child, functions);
    }
    case CU_GRAPH_NODE_TYPE_EMPTY:
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      return EmptyNode{};
    case CU_GRAPH_NODE_TYPE_HOST:
      return HostNode{};
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      return UnknownNode{"a conditional node"};
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
      return UnknownNode{"a batch of memory operations (cuStreamBatchMemOp)"};
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
      return UnknownNode{"an external semaphore"};
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC: {
      CUDA_MEM_ALLOC_NODE_PARAMS p{};
      KJOULE_CU(cuGraphMemAllocNodeGetParams(node, &p));
      return MemoryNode{round_up({p.dptr, p.bytesize, MemoryKind::graph})};
    }
    default:
      return UnknownNode{"a node of kind " + std::to_string(type)};
  }
}

}  // namespace

Call kernel_call(const CUDA_KERNEL_NODE_PARAMS& p, const std::vector<CUlaunchAttribute>& attributes,
                 FunctionTable& functions) {
  KernelView view;
  view.function = p.func != nullptr ? p.func : reinterpret_cast<CUfunction>(p.kern);
  view.grid = {p.gridDimX, p.gridDimY, p.gridDimZ};
  view.block = {p.blockDimX, p.blockDimY, p.blockDimZ};
  view.shared_bytes = p.sharedMemBytes;
  view.arguments = p.kernelParams;
  if (p.kernelParams == nullptr) read_packed(p.extra, view);
  view.attributes = attributes.data();
  view.attribute_count = static_cast<unsigned>(attributes.size());
  return make_call({view, nullptr}, functions);
}

Call copy_call(const CUDA_MEMCPY3D& p) {
  return {CopyCall{p, {}}, nullptr};
}

Call memset_call(const CUDA_MEMSET_NODE_PARAMS& p) {
  return {MemsetCall{p.dst, p.pitch, p.value, p.elementSize, p.width, p.height}, nullptr};
}

GraphNodes read_graph(CUgraph graph, FunctionTable& functions) {
  const std::vector<CUgraphNode> handles = nodes_of(graph);
  const Edges edges = edges_of(graph);
  const std::vector<size_t> order = in_order(handles, edges);
  std::map<CUgraphNode, uint32_t> number;
  for (const size_t place : order) number.emplace(handles[place], static_cast<uint32_t>(number.size()));
  std::map<CUgraphNode, std::vector<uint32_t>> waits_for;
  std::set<CUgraphNode> programmatic;
  for (size_t e = 0; e < edges.to.size(); ++e) {
    waits_for[edges.to[e]].push_back(number.at(edges.from[e]));
    if (edges.data[e].type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC) programmatic.insert(edges.to[e]);
  }
  GraphNodes nodes;
  for (const size_t place : order) {
    GraphNode& node = nodes.emplace_back();
    node.handle = handles[place];
    node.waits_for = std::move(waits_for[node.handle]);
    std::ranges::sort(node.waits_for);
    node.work = read_work(node.handle, programmatic.contains(node.handle), functions);
  }
  return nodes;
}

}  // namespace kjoule::cuda
