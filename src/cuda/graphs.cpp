#include "cuda/graphs.hpp"

#include <xxhash.h>

#include <set>

#include "base/error.hpp"

namespace kjoule::cuda {

namespace {

template <typename Parameters>
const Parameters& call_parameters(const void* parameters) {
  return *static_cast<const Parameters*>(parameters);
}

ExpandedGraph::Node* find(ExpandedGraph& graph, CUgraphNode handle) {
  for (ExpandedGraph::Node& node : graph.nodes)
    if (node.handle == handle) return &node;
  return nullptr;
}

Graphs::Identity identity_of(const ExpandedGraph& graph) {
  Graphs::Identity identity{{1, 1}, 0};
  for (const ExpandedGraph::Node& node : graph.nodes) {
    if (!node.enabled) continue;
    const LaunchHashes own = hash_launch(node.call);
    identity.hashes.shape_hash =
        XXH3_64bits_withSeed(&own.shape_hash, sizeof own.shape_hash, identity.hashes.shape_hash);
    identity.hashes.arguments =
        XXH3_64bits_withSeed(&own.arguments, sizeof own.arguments, identity.hashes.arguments);
    ++identity.launches;
  }
  return identity;
}

}  // namespace

void Graphs::add(CUgraphExec executable, CUgraph graph, FunctionTable& functions) {
  Entry& entry = entries_[executable];
  try {
    entry.graph = expand_graph(graph, functions);
  } catch (const Error& error) {
    entry.graph.not_replayable = std::string("what could not be read (") + error.what() + ")";
  }
  entry.identity = identity_of(entry.graph);
}

Graphs::Identity Graphs::identity(CUgraphExec executable) const {
  const auto known = entries_.find(executable);
  if (known != entries_.end() && known->second.identity.launches > 0) return known->second.identity;
  const uint64_t hash = XXH3_64bits(&executable, sizeof(CUgraphExec));
  return {{hash, hash}, 1};
}

void Graphs::replace(ExpandedGraph& graph, CUgraphNode handle, Call call) {
  if (ExpandedGraph::Node* node = find(graph, handle))
    node->call = std::move(call);
  else
    graph.not_replayable = "a change to a node that is not known";
}

void Graphs::apply_change(CUpti_CallbackId id, const void* parameters, FunctionTable& functions) {
  // The executable graph is the first parameter of all these calls.
  CUgraphExec executable = *static_cast<const CUgraphExec*>(parameters);
  if (id == CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2)
    return add(executable, call_parameters<cuGraphExecUpdate_v2_params>(parameters).hGraph, functions);
  Entry& entry = entries_[executable];
  change(entry.graph, id, parameters, functions);
  entry.identity = identity_of(entry.graph);
}

void Graphs::change(ExpandedGraph& graph, CUpti_CallbackId id, const void* parameters,
                    FunctionTable& functions) {
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2: {
      const auto& p = call_parameters<cuGraphExecKernelNodeSetParams_v2_params>(parameters);
      const ExpandedGraph::Node* node = find(graph, p.hNode);
      const auto* kernel = node == nullptr ? nullptr : std::get_if<KernelCall>(&node->call.what);
      const auto attributes = kernel == nullptr ? std::vector<CUlaunchAttribute>() : kernel->attributes;
      return replace(graph, p.hNode, kernel_call(*p.nodeParams, attributes, functions));
    }
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecMemcpyNodeSetParams: {
      const auto& p = call_parameters<cuGraphExecMemcpyNodeSetParams_params>(parameters);
      return replace(graph, p.hNode, {CopyCall{*p.copyParams, {}}, nullptr});
    }
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecMemsetNodeSetParams: {
      const auto& p = call_parameters<cuGraphExecMemsetNodeSetParams_params>(parameters);
      return replace(graph, p.hNode, memset_call(*p.memsetParams));
    }
    case CUPTI_DRIVER_TRACE_CBID_cuGraphNodeSetEnabled: {
      const auto& p = call_parameters<cuGraphNodeSetEnabled_params>(parameters);
      if (ExpandedGraph::Node* node = find(graph, p.hNode)) node->enabled = p.isEnabled != 0;
      return;
    }
    default:
      graph.not_replayable = "a node that was changed afterwards";
  }
}

Graphs::Launches Graphs::launches(CUgraphExec executable) const {
  const auto known = entries_.find(executable);
  if (known == entries_.end())
    throw Error("the program launches a CUDA graph that was made before kjoule observed it",
                "start it under kjoule");
  const ExpandedGraph& graph = known->second.graph;
  if (!graph.not_replayable.empty())
    throw Error("the program launches a CUDA graph that holds " + graph.not_replayable,
                "kjoule cannot replay it");
  Launches launches;
  std::vector<std::set<uint32_t>> done;  // for each node, the launches after which it has ended
  for (const ExpandedGraph::Node& node : graph.nodes) {
    std::set<uint32_t> waits_for;
    for (const uint32_t before : node.waits_for) waits_for.insert(done[before].begin(), done[before].end());
    if (node.enabled) {
      done.push_back({static_cast<uint32_t>(launches.calls.size())});
      launches.calls.push_back(node.call);
      launches.waits_for.emplace_back(waits_for.begin(), waits_for.end());
    } else {
      done.push_back(std::move(waits_for));
    }
  }
  return launches;
}

}  // namespace kjoule::cuda
