#pragma once
#include <cupti.h>

#include <string>

#include "cuda/calls/graph_nodes.hpp"

namespace kjoule::cuda {

/// Applies a successful driver call that changes nodes of an executable graph to these nodes, which are those
/// of the graph that it was instantiated from. Returns what could not be followed, for messages; an empty
/// text if all was. Throws DeviceError when a graph cannot be read.
///
/// The program names a node by its handle in the graph that the executable graph was instantiated from, also
/// after cuGraphExecUpdate has taken over the nodes of another graph.
std::string change_graph(GraphNodes& nodes, CUpti_CallbackId id, const void* parameters,
                         FunctionTable& functions);

}  // namespace kjoule::cuda
