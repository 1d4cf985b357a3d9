// Prints as JSON what a small kernel in a graph takes while other graphs have been uploaded and not launched, in us.
//
//   nvcc -arch=sm_90 -o uploads uploads.cu && ./uploads
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "check.cuh"

namespace {

constexpr int kKernels = 600;
constexpr int kCount = 1 << 18;

__global__ void add(float* values) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) values[i] += 1;
}

cudaGraphExec_t make_graph(float* values, int kernels) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  for (int i = 0; i < kernels; ++i) add<<<132, 256, 0, stream>>>(values);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  return executable;
}

/// Median of 15 blocks of 20 launches of the control graph, after 30 launches of warm-up.
double us_a_kernel(cudaGraphExec_t control) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  for (int i = 0; i < 30; ++i) CHECK(cudaGraphLaunch(control, nullptr));
  std::vector<double> values;
  for (int block = 0; block < 15; ++block) {
    CHECK(cudaEventRecord(begin));
    for (int i = 0; i < 20; ++i) CHECK(cudaGraphLaunch(control, nullptr));
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    values.push_back(ms * 1e3 / 20 / kKernels);
  }
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main() {
  float* values = nullptr;
  CHECK(cudaMalloc(&values, kCount * sizeof(float)));
  const cudaGraphExec_t control = make_graph(values, kKernels);
  std::printf("{\"fresh_us\": %.4f", us_a_kernel(control));
  std::vector<cudaGraphExec_t> others;
  for (int i = 1; i <= 3; ++i) {
    others.push_back(make_graph(values, 9));
    CHECK(cudaGraphUpload(others.back(), nullptr));
    CHECK(cudaDeviceSynchronize());
    std::printf(", \"pending_%d_us\": %.4f", i, us_a_kernel(control));
  }
  for (cudaGraphExec_t other : others) CHECK(cudaGraphLaunch(other, nullptr));
  CHECK(cudaDeviceSynchronize());
  std::printf(", \"launched_us\": %.4f", us_a_kernel(control));
  for (int i = 0; i < 40; ++i) CHECK(cudaGraphLaunch(make_graph(values, 9), nullptr));
  CHECK(cudaDeviceSynchronize());
  std::printf(", \"40_more_launched_us\": %.4f}\n", us_a_kernel(control));
}
