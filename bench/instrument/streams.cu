// What an empty kernel in a graph takes, in us, after the process has used more streams. Prints JSON lines.
//
//   nvcc -arch=sm_90 -O2 -o streams streams.cu -lcuda && ./streams
//   nvcc -arch=sm_90 -O2 -Xcompiler -fPIC -shared -o streams.so streams.cu -lcuda     # for own_graphs.py
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                     \
  do {                                                                                                  \
    const cudaError_t result_ = (call);                                                                 \
    if (result_ != cudaSuccess) {                                                                       \
      std::fprintf(stderr, "%s: %s (%s:%d)\n", #call, cudaGetErrorString(result_), __FILE__, __LINE__); \
      std::exit(1);                                                                                     \
    }                                                                                                   \
  } while (0)

namespace {

constexpr int kKernels = 600;
constexpr int kPlays = 15;

__global__ void nothing() {}

__global__ void stamp(uint64_t* slot) {
  uint64_t ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  *slot = ns;
}

cudaGraphExec_t make_chain(uint64_t* slots) {
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t last = nullptr;
  const auto add = [&](void* function, void** arguments) {
    cudaKernelNodeParams parameters{};
    parameters.func = function;
    parameters.gridDim = parameters.blockDim = dim3(1);
    parameters.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&last, graph, last != nullptr ? &last : nullptr, last != nullptr ? 1 : 0, &parameters));
  };
  const auto add_stamp = [&](uint64_t* slot) {
    void* arguments[] = {&slot};
    add(reinterpret_cast<void*>(stamp), arguments);
  };
  add_stamp(slots);
  for (int i = 0; i < kKernels; ++i) add(reinterpret_cast<void*>(nothing), nullptr);
  add_stamp(slots + 1);
  cudaGraphExec_t executable;
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  return executable;
}

}  // namespace

/// us of one empty kernel in a new graph on that stream, median of some plays.
extern "C" double empty_kernel_us(cudaStream_t stream) {
  static uint64_t* slots = nullptr;
  if (slots == nullptr) CHECK(cudaMallocHost(&slots, 2 * sizeof(uint64_t)));
  cudaGraphExec_t chain = make_chain(slots);
  std::vector<double> values;
  for (int i = 0; i <= kPlays; ++i) {
    CHECK(cudaGraphLaunch(chain, stream));
    CHECK(cudaStreamSynchronize(stream));
    if (i > 0) values.push_back(static_cast<double>(slots[1] - slots[0]) * 1e-3 / kKernels);
  }
  CHECK(cudaGraphExecDestroy(chain));
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

namespace {

void report(const char* what, cudaStream_t stream = nullptr) {
  std::printf("{\"after\": \"%s\", \"empty_kernel_us\": %.4f}\n", what, empty_kernel_us(stream));
  std::fflush(stdout);
}

cudaStream_t make_stream(unsigned flags) {
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, flags));
  return stream;
}

void use(cudaStream_t stream) {
  nothing<<<1, 1, 0, stream>>>();
  CHECK(cudaStreamSynchronize(stream));
}

/// Captures a kernel on that stream; launches the graph on the default one, or never.
cudaGraphExec_t capture(cudaStream_t stream, bool launch) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  nothing<<<1, 1, 0, stream>>>();
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  if (launch) CHECK(cudaGraphLaunch(executable, nullptr));
  CHECK(cudaDeviceSynchronize());
  return executable;
}

void copy_both_ways(cudaStream_t stream) {
  static void *host = nullptr, *device = nullptr;
  if (host == nullptr) {
    CHECK(cudaMallocHost(&host, 1 << 20));
    CHECK(cudaMalloc(&device, 1 << 20));
  }
  CHECK(cudaMemcpyAsync(device, host, 1 << 20, cudaMemcpyHostToDevice, stream));
  CHECK(cudaMemcpyAsync(host, device, 1 << 20, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
}

}  // namespace

int main() {
  CHECK(cudaFree(nullptr));
  report("nothing");
  report("nothing, again");
  copy_both_ways(nullptr);
  report("copies on the default stream");
  cudaStream_t first = make_stream(cudaStreamNonBlocking);
  report("a second stream was made");
  cudaGraphExec_t idle = capture(first, false);
  report("a graph was captured on it and not launched");
  CHECK(cudaGraphLaunch(idle, nullptr));
  CHECK(cudaDeviceSynchronize());
  report("the graph was launched on the default stream");
  use(first);
  report("a kernel ran on the second stream");
  report("the same, played on the second stream", first);
  report("the same, played on the default stream again");
  cudaStream_t third = make_stream(cudaStreamNonBlocking);
  report("the same, played on an unused third stream", third);
  report("the same, played on the default stream again");
  use(third);
  report("a kernel ran on the third stream");
  std::vector<cudaStream_t> more;
  for (int i = 0; i < 6; ++i) use(more.emplace_back(make_stream(cudaStreamNonBlocking)));
  report("a kernel ran on nine streams in all");
  report("the same, played on the last stream", more.back());
  for (cudaStream_t stream : more) CHECK(cudaStreamDestroy(stream));
  report("six streams were destroyed");
  CHECK(cudaStreamDestroy(third));
  report("seven streams were destroyed");
  CHECK(cudaStreamDestroy(first));
  report("all streams were destroyed");
  cudaStream_t blocking = make_stream(cudaStreamDefault);
  use(blocking);
  report("a kernel ran on a blocking stream");
  CHECK(cudaGraphExecDestroy(idle));
  report("the captured graph was destroyed");
}
