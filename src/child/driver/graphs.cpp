#include "graphs.hpp"

#include <map>
#include <queue>
#include <set>

#include "base/error.hpp"
#include "check.hpp"

namespace kjoule::driver {

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

/// Positions in `nodes`, each after those that it depends on, otherwise as they were made.
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

/// Those attributes of a node that are a launch's too.
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

Call kernel_of(CUgraphNode node, bool programmatic, Functions& functions) {
  CUDA_KERNEL_NODE_PARAMS p{};
  KJOULE_CU(cuGraphKernelNodeGetParams(node, &p));
  KernelView view;
  view.function = p.func != nullptr ? p.func : reinterpret_cast<CUfunction>(p.kern);
  view.grid = {p.gridDimX, p.gridDimY, p.gridDimZ};
  view.block = {p.blockDimX, p.blockDimY, p.blockDimZ};
  view.shared_bytes = p.sharedMemBytes;
  view.arguments = p.kernelParams;
  if (p.kernelParams == nullptr) read_packed(p.extra, view);
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
  view.attributes = attributes.data();
  view.attribute_count = static_cast<unsigned>(attributes.size());
  return keep({view, nullptr}, functions);
}

void add_calls(CUgraph graph, Functions& functions, std::vector<Call>& calls, std::string& refused);

void add_node(CUgraphNode node, bool programmatic, Functions& functions, std::vector<Call>& calls,
              std::string& refused) {
  CUgraphNodeType type{};
  KJOULE_CU(cuGraphNodeGetType(node, &type));
  switch (type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      calls.push_back(kernel_of(node, programmatic, functions));
      return;
    case CU_GRAPH_NODE_TYPE_MEMCPY: {
      CopyCall copy;
      KJOULE_CU(cuGraphMemcpyNodeGetParams(node, &copy.shape));
      calls.push_back({copy, nullptr});
      return;
    }
    case CU_GRAPH_NODE_TYPE_MEMSET: {
      CUDA_MEMSET_NODE_PARAMS p{};
      KJOULE_CU(cuGraphMemsetNodeGetParams(node, &p));
      calls.push_back({SetCall{p.dst, p.pitch, p.value, p.elementSize, p.width, p.height}, nullptr});
      return;
    }
    case CU_GRAPH_NODE_TYPE_GRAPH: {
      CUgraph child = nullptr;
      KJOULE_CU(cuGraphChildGraphNodeGetGraph(node, &child));
      add_calls(child, functions, calls, refused);
      return;
    }
    case CU_GRAPH_NODE_TYPE_EMPTY:
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return;
    case CU_GRAPH_NODE_TYPE_HOST:
      refused = "a host function";
      return;
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      refused = "a conditional";
      return;
    default:
      refused = "a node of kind " + std::to_string(type);
      return;
  }
}

void add_calls(CUgraph graph, Functions& functions, std::vector<Call>& calls, std::string& refused) {
  const std::vector<CUgraphNode> nodes = nodes_of(graph);
  const Edges edges = edges_of(graph);
  std::set<CUgraphNode> programmatic;
  for (size_t e = 0; e < edges.to.size(); ++e)
    if (edges.data[e].type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC) programmatic.insert(edges.to[e]);
  for (const size_t i : in_order(nodes, edges))
    add_node(nodes[i], programmatic.contains(nodes[i]), functions, calls, refused);
}

}  // namespace

void Graphs::instantiated(CUgraphExec executable, CUgraph graph, Functions& functions) {
  Kept kept;
  try {
    add_calls(graph, functions, kept.calls, kept.refused);
  } catch (const Error& error) {
    kept.refused = std::string("what could not be read (") + error.what() + ")";
  }
  kept_[executable] = std::move(kept);
}

const std::vector<Call>& Graphs::calls(CUgraphExec executable) const {
  const auto known = kept_.find(executable);
  if (known == kept_.end())
    throw Error("the program launches a CUDA graph that was made before kjoule watched",
                "start it under kjoule");
  if (!known->second.refused.empty())
    throw Error("the program launches a CUDA graph that holds " + known->second.refused,
                "kjoule cannot replay it");
  return known->second.calls;
}

}  // namespace kjoule::driver
