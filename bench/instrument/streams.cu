// Does work in streams, and prints as JSON what an empty kernel in a graph takes in between, in us.
//
//   nvcc -arch=sm_90 -O2 -o streams streams.cu -lcuda && ./streams WORD ...
//   nvcc -arch=sm_90 -O2 -Xcompiler -fPIC -shared -o streams.so streams.cu -lcuda     # for own_graphs.py
//
// Words, in order: stream:N later work goes into stream N (0: the default one); empty:N and adds:N issue so many kernels;
// graph:N makes a graph of so many kernels and launches it; copies:N copies 1 MB to the host and back; memory:N allocates
// so many MB; destroy:N destroys stream N. Each waits for the device. streams.txt has the lists of words that were measured.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "check.cuh"

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

constexpr int kValues = 1 << 20;

__global__ void add_one(float* values) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kValues) values[i] += 1;
}

/// A process whose work is named by words.
class Process {
 public:
  Process() : streams_{nullptr} { CHECK(cudaMalloc(&values_, kValues * sizeof(float))); }

  void obey(const std::string& word) {
    const size_t colon = word.find(':');
    const std::string what = word.substr(0, colon);
    const int number = colon == std::string::npos ? 0 : std::atoi(word.c_str() + colon + 1);
    if (what == "stream") choose(static_cast<size_t>(number));
    else if (what == "empty") for (int i = 0; i < number; ++i) nothing<<<1, 1, 0, current_>>>();
    else if (what == "adds") for (int i = 0; i < number; ++i) add();
    else if (what == "graph") launch_graph(number);
    else if (what == "copies") for (int i = 0; i < number; ++i) copy();
    else if (what == "memory") allocate(number);
    else if (what == "destroy") CHECK(cudaStreamDestroy(streams_.at(static_cast<size_t>(number))));
    else std::fprintf(stderr, "streams: %s is no word\n", word.c_str()), std::exit(2);
    CHECK(cudaDeviceSynchronize());
  }

 private:
  void choose(size_t number) {
    while (streams_.size() <= number) CHECK(cudaStreamCreateWithFlags(&streams_.emplace_back(), cudaStreamNonBlocking));
    current_ = streams_[number];
  }
  void add() { add_one<<<kValues / 256, 256, 0, current_>>>(values_); }
  void copy() {
    std::vector<char> host(1 << 20);
    CHECK(cudaMemcpyAsync(host.data(), values_, host.size(), cudaMemcpyDeviceToHost, current_));
    CHECK(cudaMemcpyAsync(values_, host.data(), host.size(), cudaMemcpyHostToDevice, current_));
    CHECK(cudaDeviceSynchronize());
  }
  void launch_graph(int kernels) {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;  // kept until the process ends
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    for (int i = 0; i < kernels; ++i) add_one<<<kValues / 256, 256, 0, stream>>>(values_);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphLaunch(executable, current_));
  }
  static void allocate(int megabytes) {
    void* memory = nullptr;  // kept likewise
    CHECK(cudaMalloc(&memory, static_cast<size_t>(megabytes) << 20));
  }

  std::vector<cudaStream_t> streams_;
  cudaStream_t current_ = nullptr;
  float* values_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  Process process;
  std::printf("[{\"after\": \"start\", \"empty_kernel_us\": %.4f}", empty_kernel_us(nullptr));
  for (int i = 1; i < argc; ++i) {
    process.obey(argv[i]);
    std::printf(", {\"after\": \"%s\", \"empty_kernel_us\": %.4f}", argv[i], empty_kernel_us(nullptr));
  }
  std::printf("]\n");
}
