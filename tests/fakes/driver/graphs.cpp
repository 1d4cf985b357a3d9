#include "graphs.hpp"

#include <algorithm>
#include <unordered_map>

#include "hooks.hpp"

namespace stand_in {

namespace {

uint32_t next_graph = 0;
uint64_t next_node = 0;

/// Returns the nodes in an order in which each follows those that it depends on; nothing if there is a cycle.
/// The order of creation does not suffice, because dependencies can be added later.
std::vector<const CUgraphNode_st*> in_order(const CUgraph_st& graph) {
  std::vector<const CUgraphNode_st*> order;
  std::set<const CUgraphNode_st*> done;
  while (order.size() < graph.nodes.size()) {
    const size_t before = order.size();
    for (const auto& node : graph.nodes) {
      if (done.contains(node.get())) continue;
      if (!std::all_of(node->from.begin(), node->from.end(), [&](auto* n) { return done.contains(n); }))
        continue;
      done.insert(node.get());
      order.push_back(node.get());
    }
    if (order.size() == before) return {};  // a cycle
  }
  return order;
}

}  // namespace

CUgraph make_graph() {
  return new CUgraph_st{++next_graph, {}};
}

CUgraphNode add_node(CUgraph graph, const Work& work, const CUgraphNode* from, const CUgraphEdgeData* edges,
                     size_t count) {
  auto node = std::make_unique<CUgraphNode_st>();
  node->id = ++next_node;
  node->graph = graph;
  node->work = work;
  for (size_t i = 0; i < count; ++i) {
    node->from.push_back(from[i]);
    node->edges.push_back(edges == nullptr ? CUgraphEdgeData{} : edges[i]);
  }
  graph->nodes.push_back(std::move(node));
  return graph->nodes.back().get();
}

std::unique_ptr<CUgraph_st> copy_of(const CUgraph_st& graph) {
  auto copy = std::make_unique<CUgraph_st>();
  copy->id = graph.id;
  std::unordered_map<CUgraphNode, CUgraphNode> twins;
  for (const auto& node : graph.nodes) {
    copy->nodes.push_back(std::make_unique<CUgraphNode_st>(*node));
    copy->nodes.back()->graph = copy.get();
    twins[node.get()] = copy->nodes.back().get();
  }
  for (const auto& node : copy->nodes) {
    for (CUgraphNode& from : node->from) from = twins.at(from);
    if (auto* child = std::get_if<ChildWork>(&node->work)) child->graph = copy_of(*child->graph);
  }
  return copy;
}

void run_graph(const CUgraph_st& graph, Position& position, const Origin& origin) {
  for (const CUgraphNode_st* node : in_order(graph))
    if (node->enabled) run(node->work, position, {origin.stream, node->id, origin.graph});
}

bool has_order(const CUgraph_st& graph) {
  return in_order(graph).size() == graph.nodes.size();
}

uint64_t id_of(CUgraphNode node) {
  return node->id;
}

}  // namespace stand_in
