#include "cuda/calls/graph_changes.hpp"

#include <algorithm>
#include <utility>

namespace kjoule::cuda {

namespace {

template <typename Parameters>
const Parameters& call_parameters(const void* parameters) {
  return *static_cast<const Parameters*>(parameters);
}

/// Returns the node with this handle, which may belong to a child graph; null if there is none.
GraphNode* find(GraphNodes& nodes, CUgraphNode handle) {
  for (GraphNode& node : nodes) {
    if (node.handle == handle) return &node;
    if (auto* child = std::get_if<GraphNodes>(&node.work))
      if (GraphNode* found = find(*child, handle)) return found;
  }
  return nullptr;
}

/// Takes over the work of another graph of the same form; the handles of the nodes stay. CUDA pairs the nodes
/// of two graphs by the order of their creation and by their edges, so both are sorted here.
bool take_over(GraphNodes& nodes, GraphNodes others) {
  const auto are_alike = [](const GraphNode& a, const GraphNode& b) {
    return a.work.index() == b.work.index() && a.waits_for == b.waits_for;
  };
  if (!std::ranges::equal(nodes, others, are_alike)) return false;
  for (size_t i = 0; i < nodes.size(); ++i) {
    auto* child = std::get_if<GraphNodes>(&nodes[i].work);
    if (child == nullptr)
      nodes[i].work = std::move(others[i].work);
    else if (!take_over(*child, std::move(std::get<GraphNodes>(others[i].work))))
      return false;
  }
  return true;
}

constexpr const char* kOtherForm = "an update by a graph of another form";
constexpr const char* kUnknownNode = "a change to a node that is not known";

std::string set_work(GraphNodes& nodes, CUgraphNode handle, Call call) {
  GraphNode* node = find(nodes, handle);
  if (node == nullptr) return kUnknownNode;
  node->work = std::move(call);
  return {};
}

/// Changes the parameters of a kernel; its attributes stay.
template <typename Parameters>
std::string set_kernel(GraphNodes& nodes, CUgraphNode handle, const Parameters& p, FunctionTable& functions) {
  GraphNode* node = find(nodes, handle);
  auto* call = node == nullptr ? nullptr : std::get_if<Call>(&node->work);
  auto* kernel = call == nullptr ? nullptr : std::get_if<KernelCall>(&call->what);
  if (kernel == nullptr) return kUnknownNode;
  *call = kernel_call({p.func, p.gridDimX, p.gridDimY, p.gridDimZ, p.blockDimX, p.blockDimY, p.blockDimZ,
                       p.sharedMemBytes, p.kernelParams, p.extra, p.kern, p.ctx},
                      std::vector(kernel->attributes), functions);
  return {};
}

std::string set_child(GraphNodes& nodes, CUgraphNode handle, CUgraph graph, FunctionTable& functions) {
  GraphNode* node = find(nodes, handle);
  auto* child = node == nullptr ? nullptr : std::get_if<GraphNodes>(&node->work);
  if (child == nullptr) return kUnknownNode;
  return take_over(*child, read_graph(graph, functions)) ? std::string() : kOtherForm;
}

std::string set_node(GraphNodes& nodes, CUgraphNode handle, const CUgraphNodeParams& p,
                     FunctionTable& functions) {
  switch (p.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return set_kernel(nodes, handle, p.kernel, functions);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return set_work(nodes, handle, copy_call(p.memcpy.copyParams));
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return set_work(nodes, handle,
                      memset_call({p.memset.dst, p.memset.pitch, p.memset.value, p.memset.elementSize,
                                   p.memset.width, p.memset.height}));
    case CU_GRAPH_NODE_TYPE_GRAPH:
      return set_child(nodes, handle, p.graph.graph, functions);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return {};
    default:
      return "a change to a node of kind " + std::to_string(p.type);
  }
}

std::string enable(GraphNodes& nodes, CUgraphNode handle, bool enabled) {
  GraphNode* node = find(nodes, handle);
  if (node == nullptr) return kUnknownNode;
  node->enabled = enabled;
  return {};
}

std::string update(GraphNodes& nodes, CUgraph graph, FunctionTable& functions) {
  return take_over(nodes, read_graph(graph, functions)) ? std::string() : kOtherForm;
}

}  // namespace

std::string change_graph(GraphNodes& nodes, CUpti_CallbackId id, const void* parameters,
                         FunctionTable& functions) {
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2:  // both begin with the two graphs
      return update(nodes, call_parameters<cuGraphExecUpdate_v2_params>(parameters).hGraph, functions);
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2: {
      const auto& p = call_parameters<cuGraphExecKernelNodeSetParams_v2_params>(parameters);
      return set_kernel(nodes, p.hNode, *p.nodeParams, functions);
    }
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecMemcpyNodeSetParams: {
      const auto& p = call_parameters<cuGraphExecMemcpyNodeSetParams_params>(parameters);
      return set_work(nodes, p.hNode, copy_call(*p.copyParams));
    }
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecMemsetNodeSetParams: {
      const auto& p = call_parameters<cuGraphExecMemsetNodeSetParams_params>(parameters);
      return set_work(nodes, p.hNode, memset_call(*p.memsetParams));
    }
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecChildGraphNodeSetParams: {
      const auto& p = call_parameters<cuGraphExecChildGraphNodeSetParams_params>(parameters);
      return set_child(nodes, p.hNode, p.childGraph, functions);
    }
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecNodeSetParams: {
      const auto& p = call_parameters<cuGraphExecNodeSetParams_params>(parameters);
      return set_node(nodes, p.hNode, *p.nodeParams, functions);
    }
    case CUPTI_DRIVER_TRACE_CBID_cuGraphNodeSetEnabled: {
      const auto& p = call_parameters<cuGraphNodeSetEnabled_params>(parameters);
      return enable(nodes, p.hNode, p.isEnabled != 0);
    }
    default:
      return "a node that was changed by a call of an old version";
  }
}

}  // namespace kjoule::cuda
