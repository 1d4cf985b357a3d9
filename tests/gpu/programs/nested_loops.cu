// Square roots by Newton's method, 5 steps for each of 200 radicands per cell: a short loop within a loop.
#include "check.cuh"

namespace {

constexpr int kCount = 1 << 20;
constexpr int kBlocks = kCount / kThreads;

__global__ void fill(float* roots, float* radicands) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  roots[i] = 1;
  radicands[i] = 1 + i % 5;
}

__global__ void improve(float* roots, const float* radicands) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  roots[i] = 0.5f * (roots[i] + radicands[i] / roots[i]);
}

__global__ void update(float* radicands, const float* roots) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  radicands[i] += roots[i];
}

}  // namespace

int main() {
  const DeviceArray<float> roots(kCount), radicands(kCount);
  fill<<<kBlocks, kThreads>>>(roots, radicands);
  for (int outer = 0; outer < 200; ++outer) {
    for (int inner = 0; inner < 5; ++inner) improve<<<kBlocks, kThreads>>>(roots, radicands);
    update<<<kBlocks, kThreads>>>(radicands, roots);
  }
  CHECK(cudaGetLastError());
  return finish(checksum<float>(radicands));
}
