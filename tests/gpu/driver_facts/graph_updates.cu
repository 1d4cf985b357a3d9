// Which driver calls update an executable graph, and which graph's node handles does it accept after
// cudaGraphExecUpdate?
#include <cuda_runtime.h>

#include <utility>

#include "driver_calls.hpp"
#include "facts.hpp"

namespace facts {

namespace {

constexpr size_t kInts = 256;
constexpr int kValueOfA = 10;
constexpr int kValueOfB = 20;
constexpr int kValueOfUpdates = 30;

__global__ void put(int* to, int value) {
  *to = value;
}

/// Device memory that the graphs work on.
struct Memory {
  int* from_kernel;
  int* from_child;
  int* copied;
  int* set;
};

/// A graph of a kernel, a copy, a memset and a child graph, and the nodes' handles.
struct Graph {
  cudaGraph_t whole;
  cudaGraph_t child;
  cudaGraphNode_t kernel;
  cudaGraphNode_t copy;
  cudaGraphNode_t set;
  cudaGraphNode_t nested;
};

int* device_ints() {
  int* ints = nullptr;
  NEED(cudaMalloc(&ints, kInts * sizeof(int)));
  NEED(cudaMemset(ints, 0, kInts * sizeof(int)));
  return ints;
}

/// The data of one call: the parameters and the arguments to which they point.
struct PutCall {
  PutCall(int* to, int value) : to(to), value(value) {
    parameters.func = reinterpret_cast<void*>(put);
    parameters.gridDim = parameters.blockDim = dim3(1);
    parameters.kernelParams = arguments;
  }
  PutCall(const PutCall&) = delete;

  int* to;
  int value;
  void* arguments[2] = {&to, &value};
  cudaKernelNodeParams parameters{};
};

cudaMemcpy3DParms copy_parameters(const Memory& memory, size_t ints) {
  const size_t bytes = ints * sizeof(int);
  cudaMemcpy3DParms parameters{};
  parameters.srcPtr = make_cudaPitchedPtr(memory.set, bytes, bytes, 1);
  parameters.dstPtr = make_cudaPitchedPtr(memory.copied, bytes, bytes, 1);
  parameters.extent = make_cudaExtent(bytes, 1, 1);
  parameters.kind = cudaMemcpyDeviceToDevice;
  return parameters;
}

cudaMemsetParams set_parameters(const Memory& memory, unsigned value) {
  cudaMemsetParams parameters{};
  parameters.dst = memory.set;
  parameters.value = value;
  parameters.elementSize = sizeof(int);
  parameters.width = kInts;
  parameters.height = 1;
  return parameters;
}

/// Returns a graph of one kernel, for use as a child.
cudaGraph_t new_child(const Memory& memory, int value) {
  const PutCall call(memory.from_child, value);
  cudaGraph_t child = nullptr;
  cudaGraphNode_t node = nullptr;
  NEED(cudaGraphCreate(&child, 0));
  NEED(cudaGraphAddKernelNode(&node, child, nullptr, 0, &call.parameters));
  return child;
}

Graph new_graph(const Memory& memory, int value) {
  Graph graph{};
  const PutCall call(memory.from_kernel, value);
  const cudaMemsetParams set = set_parameters(memory, value);
  const cudaMemcpy3DParms copy = copy_parameters(memory, kInts);
  graph.child = new_child(memory, value);
  NEED(cudaGraphCreate(&graph.whole, 0));
  NEED(cudaGraphAddKernelNode(&graph.kernel, graph.whole, nullptr, 0, &call.parameters));
  NEED(cudaGraphAddMemsetNode(&graph.set, graph.whole, &graph.kernel, 1, &set));
  NEED(cudaGraphAddMemcpyNode(&graph.copy, graph.whole, &graph.set, 1, &copy));
  NEED(cudaGraphAddChildGraphNode(&graph.nested, graph.whole, &graph.copy, 1, graph.child));
  return graph;
}

/// One call that changes an executable graph. It gives the node other parameters than it had.
struct Update {
  const char* name;
  std::function<cudaError_t(cudaGraphExec_t, const Graph&)> run;
};

cudaError_t set_kernel_node(const Memory& memory, cudaGraphExec_t executable, const Graph& graph, int value) {
  PutCall call(memory.from_kernel, value);
  cudaGraphNodeParams any{};
  any.type = cudaGraphNodeTypeKernel;
  any.kernel.func = call.parameters.func;
  any.kernel.gridDim = any.kernel.blockDim = dim3(1);
  any.kernel.kernelParams = call.arguments;
  return cudaGraphExecNodeSetParams(executable, graph.kernel, &any);
}

/// Returns all of these calls; `child` is the new graph of the child node.
std::vector<Update> updates(const Memory& memory, cudaGraph_t child) {
  const auto enable = [](unsigned on) {
    return [=](cudaGraphExec_t exec, const Graph& graph) {
      return cudaGraphNodeSetEnabled(exec, graph.set, on);
    };
  };
  return {{"cudaGraphExecKernelNodeSetParams",
           [=](cudaGraphExec_t exec, const Graph& graph) {
             const PutCall call(memory.from_kernel, kValueOfUpdates);
             return cudaGraphExecKernelNodeSetParams(exec, graph.kernel, &call.parameters);
           }},
          {"cudaGraphExecMemcpyNodeSetParams",
           [=](cudaGraphExec_t exec, const Graph& graph) {
             const cudaMemcpy3DParms copy = copy_parameters(memory, kInts / 2);
             return cudaGraphExecMemcpyNodeSetParams(exec, graph.copy, &copy);
           }},
          {"cudaGraphExecMemsetNodeSetParams",
           [=](cudaGraphExec_t exec, const Graph& graph) {
             const cudaMemsetParams set = set_parameters(memory, kValueOfUpdates);
             return cudaGraphExecMemsetNodeSetParams(exec, graph.set, &set);
           }},
          {"cudaGraphExecChildGraphNodeSetParams",
           [=](cudaGraphExec_t exec, const Graph& graph) {
             return cudaGraphExecChildGraphNodeSetParams(exec, graph.nested, child);
           }},
          {"cudaGraphExecNodeSetParams",
           [=](cudaGraphExec_t exec, const Graph& graph) {
             return set_kernel_node(memory, exec, graph, kValueOfUpdates + 1);
           }},
          {"cudaGraphNodeSetEnabled, off", enable(0)},
          {"cudaGraphNodeSetEnabled, on", enable(1)}};
}

Memory new_memory() {
  return {device_ints(), device_ints(), device_ints(), device_ints()};
}

cudaGraphExec_t instantiated(const Graph& graph) {
  cudaGraphExec_t executable = nullptr;
  NEED(cudaGraphInstantiate(&executable, graph.whole, 0));
  return executable;
}

void tell_all_calls() {
  use_device();
  CallRecorder recorder;
  const Memory memory = new_memory();
  const Graph a = new_graph(memory, kValueOfA);
  const Graph b = new_graph(memory, kValueOfB);
  cudaGraphExec_t executable = nullptr;
  recorder.tell_calls("cudaGraphInstantiate", [&] { return cudaGraphInstantiate(&executable, a.whole, 0); });
  for (const Update& update : updates(memory, new_child(memory, kValueOfUpdates)))
    recorder.tell_calls(update.name, [&] { return update.run(executable, a); });
  recorder.tell_calls("cudaGraphExecUpdate", [&] {
    cudaGraphExecUpdateResultInfo info{};
    return cudaGraphExecUpdate(executable, b.whole, &info);
  });
  recorder.tell_calls("cudaGraphLaunch", [&] { return cudaGraphLaunch(executable, nullptr); });
  NEED(cudaDeviceSynchronize());
  recorder.tell_calls("cudaGraphDestroy", [&] { return cudaGraphDestroy(a.whole); });
  recorder.tell_calls("cudaGraphExecDestroy", [&] { return cudaGraphExecDestroy(executable); });
}

int first_of(const int* device) {
  int value = 0;
  NEED(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

void tell_values(const std::string& when, const Memory& memory, cudaGraphExec_t executable) {
  NEED(cudaMemset(memory.copied, 0, kInts * sizeof(int)));
  NEED(cudaGraphLaunch(executable, nullptr));
  NEED(cudaDeviceSynchronize());
  tell("values that a launch leaves " + when, "kernel " + std::to_string(first_of(memory.from_kernel)) +
                                                  ", memset " + std::to_string(first_of(memory.set)) +
                                                  ", end of the copy " +
                                                  std::to_string(first_of(memory.copied + kInts - 1)) +
                                                  ", child " + std::to_string(first_of(memory.from_child)));
}

enum class Handles { of_a, of_b };
enum class Destroyed { none, a, b };

/// Prints which calls accept the handles, and what the executable graph then computes.
void update_with(bool updated, Destroyed destroyed, Handles handles) {
  use_device();
  const Memory memory = new_memory();
  const Graph a = new_graph(memory, kValueOfA);
  const Graph b = new_graph(memory, kValueOfB);
  cudaGraphExec_t executable = instantiated(a);
  if (updated) {
    cudaGraphExecUpdateResultInfo info{};
    tell("cudaGraphExecUpdate with B", name_of(cudaGraphExecUpdate(executable, b.whole, &info)));
  }
  if (destroyed == Destroyed::a) NEED(cudaGraphDestroy(a.whole));
  if (destroyed == Destroyed::b) NEED(cudaGraphDestroy(b.whole));
  tell_values("before", memory, executable);
  for (const Update& update : updates(memory, new_child(memory, kValueOfUpdates))) {
    tell(update.name, name_of(update.run(executable, handles == Handles::of_a ? a : b)));
    cudaGetLastError();
  }
  tell_values("after, where 30 (31 for the last kernel) and half of the copy were given", memory, executable);
}

std::vector<Case> cases() {
  std::vector<Case> all{{"driver calls", tell_all_calls}};
  for (const bool updated : {false, true})
    for (const auto& [destroyed, what] :
         {std::pair(Destroyed::none, "none"), std::pair(Destroyed::a, "A"), std::pair(Destroyed::b, "B")})
      for (const Handles handles : {Handles::of_a, Handles::of_b})
        all.push_back({std::string(updated ? "updated with B" : "not updated") + ", " + what +
                           " destroyed, handles of " + (handles == Handles::of_a ? "A" : "B"),
                       [=] { update_with(updated, destroyed, handles); }});
  return all;
}

}  // namespace

}  // namespace facts

int main(int count, char** arguments) {
  return facts::answer(count, arguments, facts::cases());
}
