#include "graphs.hpp"

#include <algorithm>
#include <set>

#include "base/error.hpp"

namespace kjoule::driver {

namespace {

template <typename Parameters>
const Parameters& as(const void* parameters) {
  return *static_cast<const Parameters*>(parameters);
}

ExpandedGraph::Node* find(ExpandedGraph& graph, CUgraphNode handle) {
  for (ExpandedGraph::Node& node : graph.nodes)
    if (node.handle == handle) return &node;
  return nullptr;
}

}  // namespace

void Graphs::instantiated(CUgraphExec executable, CUgraph graph, Functions& functions) {
  try {
    kept_[executable] = expanded(graph, functions);
  } catch (const Error& error) {
    kept_[executable].refused = std::string("what could not be read (") + error.what() + ")";
  }
}

void Graphs::replace(CUgraphExec executable, CUgraphNode handle, Call call) {
  ExpandedGraph& graph = kept_[executable];
  if (ExpandedGraph::Node* node = find(graph, handle))
    node->call = std::move(call);
  else
    graph.refused = "a change to a node that is not known";
}

void Graphs::changed(CUpti_CallbackId id, const void* parameters, Functions& functions) {
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2: {
      const auto& p = as<cuGraphExecUpdate_v2_params>(parameters);
      return instantiated(p.hGraphExec, p.hGraph, functions);
    }
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2: {
      const auto& p = as<cuGraphExecKernelNodeSetParams_v2_params>(parameters);
      const ExpandedGraph::Node* node = find(kept_[p.hGraphExec], p.hNode);
      const auto* kernel = node == nullptr ? nullptr : std::get_if<KernelCall>(&node->call.what);
      const auto attributes = kernel == nullptr ? std::vector<CUlaunchAttribute>() : kernel->attributes;
      return replace(p.hGraphExec, p.hNode, kernel_call(*p.nodeParams, attributes, functions));
    }
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecMemcpyNodeSetParams: {
      const auto& p = as<cuGraphExecMemcpyNodeSetParams_params>(parameters);
      return replace(p.hGraphExec, p.hNode, {CopyCall{*p.copyParams, {}}, nullptr});
    }
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecMemsetNodeSetParams: {
      const auto& p = as<cuGraphExecMemsetNodeSetParams_params>(parameters);
      return replace(p.hGraphExec, p.hNode, set_call(*p.memsetParams));
    }
    case CUPTI_DRIVER_TRACE_CBID_cuGraphNodeSetEnabled: {
      const auto& p = as<cuGraphNodeSetEnabled_params>(parameters);
      if (ExpandedGraph::Node* node = find(kept_[p.hGraphExec], p.hNode)) node->enabled = p.isEnabled != 0;
      return;
    }
    default:  // the others begin with the executable graph too
      kept_[*static_cast<const CUgraphExec*>(parameters)].refused = "a node that was changed afterwards";
  }
}

Graphs::Launches Graphs::launches(CUgraphExec executable) const {
  const auto known = kept_.find(executable);
  if (known == kept_.end())
    throw Error("the program launches a CUDA graph that was made before kjoule watched",
                "start it under kjoule");
  const ExpandedGraph& graph = known->second;
  if (!graph.refused.empty())
    throw Error("the program launches a CUDA graph that holds " + graph.refused, "kjoule cannot replay it");
  Launches launches;
  std::vector<std::set<uint32_t>> done;  // of each node: the launches after which it is done
  for (const ExpandedGraph::Node& node : graph.nodes) {
    std::set<uint32_t> waits_for;
    for (const uint32_t before : node.after) waits_for.insert(done[before].begin(), done[before].end());
    if (node.enabled) {
      done.push_back({static_cast<uint32_t>(launches.calls.size())});
      launches.calls.push_back(node.call);
      launches.after.emplace_back(waits_for.begin(), waits_for.end());
    } else {
      done.push_back(std::move(waits_for));
    }
  }
  return launches;
}

}  // namespace kjoule::driver
