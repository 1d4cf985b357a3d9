#pragma once
#include "objects.hpp"

namespace stand_in {

CUgraph make_graph();
/// A node with these dependencies; `edges` may be null.
CUgraphNode add_node(CUgraph graph, const Work& work, const CUgraphNode* from, const CUgraphEdgeData* edges,
                     size_t count);
/// With nodes that keep their ids, child graphs copied too.
std::unique_ptr<CUgraph_st> copy_of(const CUgraph_st& graph);
/// One node after another, each after those that it depends on.
void run_graph(const CUgraph_st& graph, Position& position, const Origin& origin);
/// Whether its dependencies lead round in no circle.
bool has_order(const CUgraph_st& graph);

}  // namespace stand_in
