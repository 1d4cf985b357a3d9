// Rebuilds a captured CUDA graph, a chain of launches, as a longer chain of several iterations with stamps (one-thread kernels
// that write the device clock) after chosen launches, and plays it. A C interface for study.py.
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <vector>

#include "check.cuh"

struct Node {
  CUgraphNode node;
  CUgraphNodeType type;
  CUgraphEdgeData edge;  // to the next launch
};

struct Chain {
  std::vector<Node> nodes;
};

namespace {

constexpr size_t kMostStamps = 1 << 17;

__device__ uint64_t now_ns() {
  uint64_t ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

__global__ void stamp(uint64_t* slot) { *slot = now_ns(); }

// Holds the stream until the host has opened the gate, or for 50 ms.
__global__ void wait_for_host(const volatile unsigned* opened, unsigned number) {
  const uint64_t begin = now_ns();
  while (static_cast<int>(*opened - number) < 0 && now_ns() - begin < 50'000'000) __nanosleep(500);
}

// Different values of the device clock, as one thread sees them in a row.
__global__ void clock_ticks(uint64_t* values, int count) {
  uint64_t last = now_ns();
  for (int i = 0; i < count;) {
    const uint64_t now = now_ns();
    if (now != last) values[i++] = last = now;
  }
}

CUstream stream;
CUcontext context;
uint64_t *device_slots, *host_slots;
volatile unsigned* opened;
unsigned closed;

// `edge`: to the launch before, when that is `after`.
CUgraphNode add_copy_of(const Node& from, CUgraph graph, CUgraphNode after, CUgraphEdgeData edge) {
  CUgraphNode made = nullptr;
  const CUgraphNode* before = after != nullptr ? &after : nullptr;
  const bool programmatic = edge.type != 0;
  const size_t count = after != nullptr && !programmatic ? 1 : 0;
  if (from.type == CU_GRAPH_NODE_TYPE_KERNEL) {
    CUDA_KERNEL_NODE_PARAMS parameters{};
    CHECK(cuGraphKernelNodeGetParams(from.node, &parameters));
    CHECK(cuGraphAddKernelNode(&made, graph, before, count, &parameters));
    CHECK(cuGraphKernelNodeCopyAttributes(made, from.node));
  } else if (from.type == CU_GRAPH_NODE_TYPE_MEMCPY) {
    CUDA_MEMCPY3D parameters{};
    CHECK(cuGraphMemcpyNodeGetParams(from.node, &parameters));
    CHECK(cuGraphAddMemcpyNode(&made, graph, before, count, &parameters, context));
  } else {
    CUDA_MEMSET_NODE_PARAMS parameters{};
    CHECK(cuGraphMemsetNodeGetParams(from.node, &parameters));
    CHECK(cuGraphAddMemsetNode(&made, graph, before, count, &parameters, context));
  }
  if (programmatic && after != nullptr) CHECK(cuGraphAddDependencies(graph, &after, &made, &edge, 1));
  return made;
}

CUgraphNode add_stamp(uint64_t* slot, CUgraph graph, CUgraphNode after) {
  void* arguments[] = {&slot};
  cudaKernelNodeParams parameters{};
  parameters.func = reinterpret_cast<void*>(stamp);
  parameters.gridDim = parameters.blockDim = dim3(1);
  parameters.kernelParams = arguments;
  CUgraphNode made = nullptr;
  CHECK(cudaGraphAddKernelNode(&made, graph, after != nullptr ? &after : nullptr, after != nullptr ? 1 : 0, &parameters));
  return made;
}

void start() {
  if (stream != nullptr) return;
  CHECK(cudaFree(nullptr));
  CHECK(cuCtxGetCurrent(&context));
  CHECK(cudaMalloc(&device_slots, kMostStamps * sizeof(uint64_t)));
  CHECK(cudaMallocHost(&host_slots, kMostStamps * sizeof(uint64_t)));
  unsigned* memory = nullptr;
  CHECK(cudaMallocHost(&memory, sizeof *memory));
  *memory = 0;
  opened = memory;
  stream = CU_STREAM_LEGACY;
}

}  // namespace

extern "C" {

/// Reads a graph. Returns null, with a line on stdout, when it is no chain of kernels, copies and memsets.
Chain* open_chain(CUgraph graph) {
  start();
  size_t count = 0, edges = 0;
  CHECK(cuGraphGetNodes(graph, nullptr, &count));
  std::vector<CUgraphNode> nodes(count);
  CHECK(cuGraphGetNodes(graph, nodes.data(), &count));
  CHECK(cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  std::vector<CUgraphNode> from(edges), to(edges);
  std::vector<CUgraphEdgeData> data(edges);
  CHECK(cuGraphGetEdges(graph, from.data(), to.data(), data.data(), &edges));
  std::map<CUgraphNode, std::pair<CUgraphNode, CUgraphEdgeData>> next;
  std::map<CUgraphNode, int> before;
  for (size_t i = 0; i < edges; ++i) {
    if (next.count(from[i]) != 0 || before[to[i]]++ != 0) {
      std::printf("the graph is no chain\n");
      return nullptr;
    }
    next[from[i]] = {to[i], data[i]};
  }
  CUgraphNode at = nullptr;
  int roots = 0;
  for (CUgraphNode node : nodes)
    if (before[node] == 0) {
      at = node;
      ++roots;
    }
  if (roots != 1) {
    std::printf("the graph has %d roots\n", roots);
    return nullptr;
  }
  auto* chain = new Chain;
  for (; at != nullptr;) {
    CUgraphNodeType type{};
    CHECK(cuGraphNodeGetType(at, &type));
    if (type != CU_GRAPH_NODE_TYPE_KERNEL && type != CU_GRAPH_NODE_TYPE_MEMCPY && type != CU_GRAPH_NODE_TYPE_MEMSET) {
      std::printf("node %zu is of type %d\n", chain->nodes.size(), static_cast<int>(type));
      return nullptr;
    }
    const auto found = next.find(at);
    chain->nodes.push_back({at, type, found != next.end() ? found->second.second : CUgraphEdgeData{}});
    at = found == next.end() ? nullptr : found->second.first;
  }
  return chain;
}

/// Copies made from now on have full dependencies only.
void forget_programmatic_edges(Chain* chain) {
  for (Node& node : chain->nodes) node.edge = {};
}

int chain_length(const Chain* chain) { return static_cast<int>(chain->nodes.size()); }

/// 0 kernel, 1 copy, 2 memset; plus 4 when a programmatic edge leads to the next launch.
void chain_types(const Chain* chain, int* types) {
  for (size_t i = 0; i < chain->nodes.size(); ++i)
    types[i] = static_cast<int>(chain->nodes[i].type) + (chain->nodes[i].edge.type != 0 ? 4 : 0);
}

/// A graph of `iterations` iterations from launch `first` on, `launches` launches in all. A stamp follows each launch whose
/// position is in `after` (ascending, -1: before the first).
CUgraphExec make_instance(const Chain* chain, int first, int launches, const int* after, int stamps) {
  CUgraph graph = nullptr;
  CHECK(cuGraphCreate(&graph, 0));
  CUgraphNode last = nullptr;
  CUgraphEdgeData edge{};
  int next = 0;
  const auto stamp_here = [&](int position) {
    for (; next < stamps && after[next] == position; ++next) {
      last = add_stamp(device_slots + next, graph, last);
      edge = {};
    }
  };
  stamp_here(-1);
  for (int position = 0; position < launches; ++position) {
    const Node& node = chain->nodes[static_cast<size_t>(first + position) % chain->nodes.size()];
    last = add_copy_of(node, graph, last, edge);
    edge = node.edge;
    stamp_here(position);
  }
  CUgraphExec executable = nullptr;
  CHECK(cuGraphInstantiate(&executable, graph, 0));
  CHECK(cuGraphDestroy(graph));
  return executable;
}

/// A graph with a stamp after each launch, all of them off, and the nodes with which they are switched on.
struct Switched {
  CUgraph graph;
  CUgraphExec executable;
  std::vector<CUgraphNode> stamps;
};

Switched* make_switched(const Chain* chain, int launches) {
  auto* made = new Switched;
  CHECK(cuGraphCreate(&made->graph, 0));
  CUgraphNode last = nullptr;
  CUgraphEdgeData edge{};
  for (int position = 0; position < launches; ++position) {
    const Node& node = chain->nodes[static_cast<size_t>(position) % chain->nodes.size()];
    last = add_copy_of(node, made->graph, last, edge);
    edge = node.edge;
    made->stamps.push_back(nullptr);
    if (edge.type != 0) continue;
    made->stamps.back() = last = add_stamp(device_slots + position, made->graph, last);
  }
  CHECK(cuGraphInstantiate(&made->executable, made->graph, 0));
  for (CUgraphNode stamp : made->stamps)
    if (stamp != nullptr) CHECK(cuGraphNodeSetEnabled(made->executable, stamp, 0));
  return made;
}

CUgraphExec switched_instance(const Switched* switched) { return switched->executable; }

void switch_stamps(const Switched* switched, const int* after, int stamps, int on) {
  for (int i = 0; i < stamps; ++i)
    CHECK(cuGraphNodeSetEnabled(switched->executable, switched->stamps[static_cast<size_t>(after[i])], on));
}

void destroy_switched(Switched* switched) {
  CHECK(cuGraphExecDestroy(switched->executable));
  CHECK(cuGraphDestroy(switched->graph));
  delete switched;
}

void destroy_instance(CUgraphExec instance) { CHECK(cuGraphExecDestroy(instance)); }

void upload_instance(CUgraphExec instance) {
  CHECK(cuGraphUpload(instance, stream));
  CHECK(cuStreamSynchronize(stream));
}

/// Plays an instance and returns its stamps, in ns of the device clock. `gate`: the device waits until it has all of it.
void play(CUgraphExec instance, uint64_t* values, int stamps, int gate) {
  if (gate != 0) wait_for_host<<<1, 1, 0, stream>>>(const_cast<const unsigned*>(opened), ++closed);
  CHECK(cuGraphLaunch(instance, stream));
  if (gate != 0) *opened = closed;
  CHECK(cuMemcpyDtoHAsync(host_slots, reinterpret_cast<CUdeviceptr>(device_slots), stamps * sizeof(uint64_t), stream));
  CHECK(cuStreamSynchronize(stream));
  for (int i = 0; i < stamps; ++i) values[i] = host_slots[i];
}

/// The shortest step of the device clock that one thread sees, ns, and the mean one.
void read_ticks(double* shortest, double* mean) {
  start();
  constexpr int kCount = 1000;
  clock_ticks<<<1, 1>>>(device_slots, kCount);
  CHECK(cudaMemcpy(host_slots, device_slots, kCount * sizeof(uint64_t), cudaMemcpyDeviceToHost));
  *shortest = 1e9;
  for (int i = 1; i < kCount; ++i) *shortest = std::min(*shortest, static_cast<double>(host_slots[i] - host_slots[i - 1]));
  *mean = static_cast<double>(host_slots[kCount - 1] - host_slots[0]) / (kCount - 1);
}

}  // extern "C"
