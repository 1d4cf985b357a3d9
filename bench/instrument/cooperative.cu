// An endless loop of three kernels: one of a chosen kind between two plain ones, after which the host waits. What a
// cooperative launch takes depends on the graph that contains it; kjoule's whole, undisturbed whole and sum show it:
//
//   nvcc -arch=sm_90 -std=c++20 -O3 -o cooperative cooperative.cu
//   kjoule compare --no-energy --loop-seconds 1 -- cooperative plain|cooperative|waiting|cluster BLOCKS STEPS
//
// STEPS is the length of a chain of multiplications for each value. "waiting" blocks wait for each other once.
#include <cooperative_groups.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "check.cuh"

namespace {

constexpr int kThreads = 256;
constexpr int kCount = 1 << 20;

__device__ void advance(float* values, int steps) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kCount; i += gridDim.x * blockDim.x) {
    float value = values[i];
    for (int step = 0; step < steps; ++step) value = value * 0.999f + 1e-3f;
    values[i] = value;
  }
}

__global__ void plain(float* values, int steps) { advance(values, steps); }

__global__ void cooperative(float* values, int steps) { advance(values, steps); }

__global__ void waiting(float* values, int steps) {
  advance(values, steps);
  cooperative_groups::this_grid().sync();
  advance(values, steps);
}

__global__ void cluster(float* values, int steps) {
  advance(values, steps);
  cooperative_groups::this_cluster().sync();
}

void launch_cooperative(const void* kernel, int blocks, float* values, int steps) {
  void* arguments[] = {&values, &steps};
  CHECK(cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(kThreads), arguments, 0, nullptr));
}

void launch_cluster(int blocks, float* values, int steps) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {4, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(kThreads);
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, cluster, values, steps));
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) return std::fprintf(stderr, "usage: cooperative KIND BLOCKS STEPS\n"), 2;
  const std::string kind = words[1];
  const int blocks = std::atoi(words[2]), steps = std::atoi(words[3]);
  float* values = nullptr;
  CHECK(cudaMalloc(&values, kCount * sizeof(float)));
  CHECK(cudaMemset(values, 0, kCount * sizeof(float)));
  while (true) {
    plain<<<512, kThreads>>>(values, steps);
    if (kind == "plain") plain<<<blocks, kThreads>>>(values, steps);
    if (kind == "cooperative") launch_cooperative(reinterpret_cast<void*>(cooperative), blocks, values, steps);
    if (kind == "waiting") launch_cooperative(reinterpret_cast<void*>(waiting), blocks, values, steps);
    if (kind == "cluster") launch_cluster(blocks, values, steps);
    plain<<<1024, kThreads>>>(values, steps);
    CHECK(cudaDeviceSynchronize());
  }
}
