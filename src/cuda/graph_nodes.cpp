#include "cuda/graph_nodes.hpp"

#include <map>
#include <queue>
#include <set>

#include "cuda/check.hpp"
#include "cuda/make_call.hpp"

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

/// Returns indexes into `nodes` in topological order. Independent nodes stay in the order of their creation.
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
constexpr CUlaunchAttributeID kAttributes[] = {
    CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
    CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,    CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
    CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN,      CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT};

bool is_set(const CUlaunchAttribute& attribute) {
  switch (attribute.id) {
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
      return attribute.value.accessPolicyWindow.num_bytes != 0;
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      return attribute.value.cooperative != 0;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
      return attribute.value.clusterDim.x != 0;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      return attribute.value.clusterSchedulingPolicyPreference != CU_CLUSTER_SCHEDULING_POLICY_DEFAULT;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
      return attribute.value.memSyncDomain != CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT;
    default:
      return static_cast<int>(attribute.value.sharedMemCarveout) > 0;
  }
}

std::vector<CUlaunchAttribute> attributes_of(CUgraphNode node, bool programmatic) {
  std::vector<CUlaunchAttribute> attributes;
  for (const CUlaunchAttributeID id : kAttributes) {
    CUlaunchAttribute attribute{};
    attribute.id = id;
    if (cuGraphKernelNodeGetAttribute(node, id, &attribute.value) == CUDA_SUCCESS && is_set(attribute))
      attributes.push_back(attribute);
  }
  if (programmatic) {
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    attribute.value.programmaticStreamSerializationAllowed = 1;
    attributes.push_back(attribute);
  }
  return attributes;
}

using Numbers = std::set<uint32_t>;

/// Collects the launches of a graph and its child graphs.
class Expander {
 public:
  explicit Expander(FunctionTable& functions) : functions_(functions) {}

  /// Adds a graph that starts after `before`. Returns the nodes after which the whole graph has ended.
  Numbers add(CUgraph graph, const Numbers& before) {
    const std::vector<CUgraphNode> nodes = nodes_of(graph);
    const Edges edges = edges_of(graph);
    std::map<CUgraphNode, std::vector<size_t>> arriving;
    for (size_t e = 0; e < edges.to.size(); ++e) arriving[edges.to[e]].push_back(e);
    std::map<CUgraphNode, Numbers> done;
    Numbers leaves;
    for (const size_t i : in_order(nodes, edges)) {
      Numbers waits_for = arriving[nodes[i]].empty() ? before : Numbers{};
      bool programmatic = false;
      for (const size_t e : arriving[nodes[i]]) {
        const Numbers& own = done[edges.from[e]];
        waits_for.insert(own.begin(), own.end());
        for (const uint32_t number : own) leaves.erase(number);
        programmatic |= edges.data[e].type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
      }
      done[nodes[i]] = add_node(nodes[i], programmatic, waits_for);
      leaves.insert(done[nodes[i]].begin(), done[nodes[i]].end());
    }
    return nodes.empty() ? before : leaves;
  }

  ExpandedGraph result;

 private:
  Numbers add_call(CUgraphNode node, Call call, const Numbers& waits_for) {
    result.nodes.push_back({std::move(call), node, {waits_for.begin(), waits_for.end()}, true});
    return {static_cast<uint32_t>(result.nodes.size() - 1)};
  }

  /// Adds one node. Returns the nodes after which it has ended: its own launch, or, if it launches nothing,
  /// the nodes that it waits for.
  Numbers add_node(CUgraphNode node, bool programmatic, const Numbers& waits_for) {
    CUgraphNodeType type{};
    KJOULE_CU(cuGraphNodeGetType(node, &type));
    switch (type) {
      case CU_GRAPH_NODE_TYPE_KERNEL: {
        CUDA_KERNEL_NODE_PARAMS p{};
        KJOULE_CU(cuGraphKernelNodeGetParams(node, &p));
        return add_call(node, kernel_call(p, attributes_of(node, programmatic), functions_), waits_for);
      }
      case CU_GRAPH_NODE_TYPE_MEMCPY: {
        CopyCall copy;
        KJOULE_CU(cuGraphMemcpyNodeGetParams(node, &copy.shape));
        return add_call(node, {copy, nullptr}, waits_for);
      }
      case CU_GRAPH_NODE_TYPE_MEMSET: {
        CUDA_MEMSET_NODE_PARAMS p{};
        KJOULE_CU(cuGraphMemsetNodeGetParams(node, &p));
        return add_call(node, memset_call(p), waits_for);
      }
      case CU_GRAPH_NODE_TYPE_GRAPH: {
        CUgraph child = nullptr;
        KJOULE_CU(cuGraphChildGraphNodeGetGraph(node, &child));
        return add(child, waits_for);
      }
      case CU_GRAPH_NODE_TYPE_EMPTY:
      case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return waits_for;
      case CU_GRAPH_NODE_TYPE_HOST:
        result.not_replayable = "a host function";
        return waits_for;
      case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        result.not_replayable = "a conditional";
        return waits_for;
      default:
        result.not_replayable = "a node of kind " + std::to_string(type);
        return waits_for;
    }
  }

  FunctionTable& functions_;
};

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

Call memset_call(const CUDA_MEMSET_NODE_PARAMS& p) {
  return {MemsetCall{p.dst, p.pitch, p.value, p.elementSize, p.width, p.height}, nullptr};
}

ExpandedGraph expand_graph(CUgraph graph, FunctionTable& functions) {
  Expander expander(functions);
  expander.add(graph, {});
  return std::move(expander.result);
}

}  // namespace kjoule::cuda
