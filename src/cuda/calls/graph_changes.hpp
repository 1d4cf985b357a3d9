#pragma once
#include <cupti.h>

#include <string>

#include "cuda/calls/graph_nodes.hpp"

namespace kjoule::cuda {

/// Applies a successful driver call that changes nodes of an executable graph. `nodes` are the nodes of the
/// graph from which the executable graph was instantiated. Returns a description, for messages, of a change
/// that cannot be followed; an empty text if all changes were applied. Throws DeviceError if a graph cannot
/// be read.
///
/// The program names a node by its handle in the graph from which the executable graph was instantiated. This
/// remains so after cuGraphExecUpdate has taken over the nodes of another graph.
std::string change_graph(GraphNodes& nodes, CUpti_CallbackId id, const void* parameters,
                         FunctionTable& functions);

}  // namespace kjoule::cuda
