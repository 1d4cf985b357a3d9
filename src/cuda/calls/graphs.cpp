#include "cuda/calls/graphs.hpp"

#include <xxhash.h>

#include <set>
#include <utility>

#include "base/error.hpp"
#include "cuda/calls/graph_changes.hpp"
#include "cuda/calls/launch_pointers.hpp"

namespace kjoule::cuda {

namespace {

using Numbers = std::set<uint32_t>;

/// Collects the launches of a graph and of its child graphs.
class LaunchCollector {
 public:
  /// Adds the launches of a graph that starts after the launches `before`. Returns the launches after which
  /// the whole graph has ended.
  Numbers add(const GraphNodes& nodes, const Numbers& before) {
    std::vector<Numbers> done;  // for each node, the launches after which it has ended
    std::set<uint32_t> leaves;
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      Numbers waits_for = nodes[i].waits_for.empty() ? before : Numbers{};
      for (const uint32_t node : nodes[i].waits_for) {
        waits_for.insert(done[node].begin(), done[node].end());
        leaves.erase(node);
      }
      done.push_back(nodes[i].enabled ? add_work(nodes[i], waits_for) : waits_for);
      leaves.insert(i);
    }
    if (nodes.empty()) return before;
    Numbers ends;
    for (const uint32_t leaf : leaves) ends.insert(done[leaf].begin(), done[leaf].end());
    return ends;
  }

  Graphs::Launches launches;
  std::string unknown;  ///< a node that cannot be replayed; empty if there is none

 private:
  /// Adds the work of a node. A node without work of its own has ended when the nodes that it waits for have.
  Numbers add_work(const GraphNode& node, const Numbers& waits_for) {
    if (const auto* call = std::get_if<Call>(&node.work)) {
      launches.calls.push_back(*call);
      launches.waits_for.emplace_back(waits_for.begin(), waits_for.end());
      return {static_cast<uint32_t>(launches.calls.size() - 1)};
    }
    if (const auto* child = std::get_if<GraphNodes>(&node.work)) return add(*child, waits_for);
    if (const auto* node_memory = std::get_if<MemoryNode>(&node.work))
      launches.memory.push_back(node_memory->memory);
    if (std::holds_alternative<HostNode>(node.work)) ++launches.host_functions;
    if (const auto* other = std::get_if<UnknownNode>(&node.work)) unknown = other->what;
    return waits_for;
  }
};

void add_to_identity(const GraphNodes& nodes, const Allocations& allocations, Graphs::Identity& identity) {
  for (const GraphNode& node : nodes) {
    if (!node.enabled) continue;
    if (const auto* child = std::get_if<GraphNodes>(&node.work))
      add_to_identity(*child, allocations, identity);
    const auto* call = std::get_if<Call>(&node.work);
    if (call == nullptr) continue;
    const LaunchHashes own = hash_launch(*call);
    identity.hashes.shape_hash =
        XXH3_64bits_withSeed(&own.shape_hash, sizeof own.shape_hash, identity.hashes.shape_hash);
    identity.hashes.argument_hash =
        XXH3_64bits_withSeed(&own.argument_hash, sizeof own.argument_hash, identity.hashes.argument_hash);
    ++identity.launches;
    const auto* kernel = std::get_if<KernelCall>(&call->what);
    if (kernel == nullptr) continue;
    if (kernel->function->collective != Collective::none) ++identity.collectives;
    const std::vector<uint64_t> host = host_memory_of(*kernel, allocations);
    identity.host.insert(identity.host.end(), host.begin(), host.end());
  }
}

}  // namespace

void Graphs::add(CUgraphExec executable, CUgraph graph, FunctionTable& functions) {
  Entry& entry = entries_[executable] = {};
  try {
    entry.nodes = read_graph(graph, functions);
  } catch (const Error& error) {
    entry.unknown_change = std::string("a node that could not be read (") + error.what() + ")";
  }
}

void Graphs::apply_change(CUpti_CallbackId id, const void* parameters, FunctionTable& functions) {
  // The executable graph is the first parameter of all these calls.
  const auto known = entries_.find(*static_cast<const CUgraphExec*>(parameters));
  if (known == entries_.end()) return;
  Entry& entry = known->second;
  entry.identity.reset();
  try {
    const std::string unknown = change_graph(entry.nodes, id, parameters, functions);
    if (!unknown.empty()) entry.unknown_change = unknown;
  } catch (const Error& error) {
    entry.unknown_change = std::string("a change that could not be read (") + error.what() + ")";
  }
}

Graphs::Identity Graphs::identity(CUgraphExec executable, const Allocations& allocations) {
  const auto known = entries_.find(executable);
  if (known != entries_.end()) {
    std::optional<Identity>& identity = known->second.identity;
    if (!identity) add_to_identity(known->second.nodes, allocations, identity.emplace(Identity{{1, 1}, 0}));
    if (identity->launches > 0) return *identity;
  }
  const uint64_t hash = XXH3_64bits(&executable, sizeof(CUgraphExec));
  return {{hash, hash}, 1};
}

Graphs::Launches Graphs::launches(CUgraphExec executable) const {
  const auto known = entries_.find(executable);
  if (known == entries_.end())
    throw Error("the program launches a CUDA graph that it created before kjoule was loaded",
                "let kjoule start the program: kjoule compare -- PROGRAM");
  LaunchCollector collector;
  collector.add(known->second.nodes, {});
  const std::string& unknown =
      known->second.unknown_change.empty() ? collector.unknown : known->second.unknown_change;
  if (!unknown.empty())
    throw Error("the program launches a CUDA graph that contains " + unknown,
                "choose a part of the program that does not launch this graph with --range NAME");
  return std::move(collector.launches);
}

}  // namespace kjoule::cuda
