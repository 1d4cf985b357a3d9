// Two CUDA graphs that allocate memory for themselves, launched one after the other: their physical memory is
// the same, at different addresses.
//
// usage: graph_memory [ITERATIONS]
#include "program.cuh"

namespace {

constexpr int64_t kItems = int64_t{1} << 22;

__global__ void square(const float* from, float* to) {
  const int64_t i = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  to[i] = from[i] * from[i];
}

__global__ void smooth(const float* from, float* to) {
  const int64_t i = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  const int64_t left = i == 0 ? kItems - 1 : i - 1, right = i == kItems - 1 ? 0 : i + 1;
  to[i] = 0.25F * (from[left] + 2 * from[i] + from[right]);
}

__global__ void blend(float* values, const float* with, float share) {
  const int64_t i = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  values[i] += share * (with[i] - values[i]);
}

/// Returns a graph that changes the values by way of two buffers of its own.
cudaGraphExec_t captured(cudaStream_t stream, float* values, float share) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  float *squares = nullptr, *smoothed = nullptr;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  CHECK(cudaMallocAsync(&squares, kItems * sizeof(float), stream));
  square<<<blocks(kItems), kThreads, 0, stream>>>(values, squares);
  CHECK(cudaMallocAsync(&smoothed, kItems * sizeof(float), stream));
  smooth<<<blocks(kItems), kThreads, 0, stream>>>(squares, smoothed);
  CHECK(cudaFreeAsync(squares, stream));
  blend<<<blocks(kItems), kThreads, 0, stream>>>(values, smoothed, share);
  CHECK(cudaFreeAsync(smoothed, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  return executable;
}

}  // namespace

int main(int argc, char** argv) {
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreate(&stream));
  float* values = random_values(kItems, 0, 1, 11);
  CHECK(cudaDeviceSynchronize());
  const cudaGraphExec_t first = captured(stream, values, 0.01F), second = captured(stream, values, -0.01F);
  for (int i = 0; i < iterations(argc, argv); ++i) {
    CHECK(cudaGraphLaunch(first, stream));
    CHECK(cudaGraphLaunch(second, stream));
    CHECK(cudaStreamSynchronize(stream));
  }
  return ended_with(first_of(values));
}
