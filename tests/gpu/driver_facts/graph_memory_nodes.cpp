// Memory that a graph allocates and frees: can its address be used between launches, and which physical pages
// are there?
#include "facts.hpp"
#include "probes.hpp"

namespace facts {

namespace {

constexpr size_t kSizes[] = {64 << 10, 4 << 20};
constexpr unsigned kSeed = 19;

/// The action between the launch and the read of the address.
enum class Between { nothing, resetting_watermarks, trimming };

struct MemoryGraph {
  CUgraphExec executable;
  CUdeviceptr memory;
};

CUstream new_stream() {
  CUstream stream = nullptr;
  NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  return stream;
}

/// Returns a graph that allocates memory, writes it and frees it.
MemoryGraph captured(CUstream stream, size_t bytes, unsigned seed) {
  MemoryGraph made{};
  CUgraph graph = nullptr;
  NEED(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  NEED(cuMemAllocAsync(&made.memory, bytes, stream));
  launch_write(made.memory, bytes, seed, stream);
  NEED(cuMemFreeAsync(made.memory, stream));
  NEED(cuStreamEndCapture(stream, &graph));
  NEED(cuGraphInstantiate(&made.executable, graph, 0));
  return made;
}

void launch(const MemoryGraph& graph, CUstream stream) {
  NEED(cuGraphLaunch(graph.executable, stream));
  NEED(cuStreamSynchronize(stream));
}

void tell_graph_memory(const std::string& when) {
  cuuint64_t used = 0;
  cuuint64_t reserved = 0;
  NEED(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
  NEED(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &reserved));
  tell("memory of graphs " + when,
       std::to_string(used) + " bytes used, " + std::to_string(reserved) + " reserved");
}

void do_between(Between between) {
  cuuint64_t zero = 0;
  if (between == Between::resetting_watermarks) {
    NEED(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &zero));
    NEED(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, &zero));
  }
  if (between == Between::trimming) NEED(cuDeviceGraphMemTrim(0));
}

void use_outside(Between between, size_t bytes) {
  start_probes();
  const CUstream stream = new_stream();
  const MemoryGraph graph = captured(stream, bytes, kSeed);
  tell_graph_memory("before the launch");
  launch(graph, stream);
  do_between(between);
  tell_graph_memory("after the launch");
  tell("range of the address", range_of(graph.memory));
  tell_read("read outside the graph", graph.memory, bytes, kSeed);
  tell_write("write outside the graph", graph.memory, bytes, kSeed + 1);
  tell_read("read of what was written", graph.memory, bytes, kSeed + 1);
  tell("cuMemsetD8Async outside the graph", name_of(cuMemsetD8Async(graph.memory, 0, bytes, stream)));
  tell("cuMemcpyDtoDAsync outside the graph",
       name_of(cuMemcpyDtoDAsync(graph.memory, graph.memory + bytes / 2, bytes / 2, stream)));
  NEED(cuStreamSynchronize(stream));
  launch(graph, stream);
  tell_read("read after the next launch", graph.memory, bytes, kSeed);
}

void run_two(size_t bytes) {
  start_probes();
  const CUstream stream = new_stream();
  const MemoryGraph a = captured(stream, bytes, kSeed);
  const MemoryGraph b = captured(stream, bytes, kSeed + 1);
  tell("addresses of A and B",
       a.memory == b.memory ? "equal" : hexadecimal(a.memory) + ", " + hexadecimal(b.memory));
  launch(a, stream);
  launch(b, stream);
  tell_graph_memory("after both launches");
  tell_read("read at A's address, for what A wrote", a.memory, bytes, kSeed);
  tell_read("read at A's address, for what B wrote", a.memory, bytes, kSeed + 1);
  tell_read("read at B's address, for what B wrote", b.memory, bytes, kSeed + 1);
  launch(a, stream);
  tell_read("A again: read at A's address, for what A wrote", a.memory, bytes, kSeed);
  tell_read("A again: read at B's address, for what B wrote", b.memory, bytes, kSeed + 1);
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const size_t bytes : kSizes) {
    const std::string size = ", " + size_name(bytes);
    all.push_back({"used outside" + size, [=] { use_outside(Between::nothing, bytes); }});
    all.push_back({"used outside, watermarks reset" + size,
                   [=] { use_outside(Between::resetting_watermarks, bytes); }});
    all.push_back({"used outside, trimmed" + size, [=] { use_outside(Between::trimming, bytes); }});
    all.push_back({"two graphs" + size, [=] { run_two(bytes); }});
  }
  return all;
}

}  // namespace

}  // namespace facts

int main(int count, char** arguments) {
  return facts::answer(count, arguments, facts::cases());
}
