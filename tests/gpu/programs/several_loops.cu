// Four loops of one kernel each, one after another; the first and the last have the same body.
#include "check.cuh"

namespace {

constexpr int kCount = 1 << 20;
constexpr int kBlocks = kCount / kThreads;

__global__ void fill(float* x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = 1 + i % 7;
}

__global__ void grow(float* x) {
  x[blockIdx.x * blockDim.x + threadIdx.x] *= 1.01f;
}

__global__ void shift(float* x) {
  x[blockIdx.x * blockDim.x + threadIdx.x] += 0.5f;
}

__global__ void damp(float* x) {
  float& value = x[blockIdx.x * blockDim.x + threadIdx.x];
  value -= 0.01f * value * value / (1 + value);
}

}  // namespace

int main() {
  const DeviceArray<float> x(kCount);
  fill<<<kBlocks, kThreads>>>(x);
  for (int i = 0; i < 100; ++i) grow<<<kBlocks, kThreads>>>(x);
  for (int i = 0; i < 60; ++i) shift<<<kBlocks, kThreads>>>(x);
  for (int i = 0; i < 80; ++i) damp<<<kBlocks, kThreads>>>(x);
  for (int i = 0; i < 40; ++i) grow<<<kBlocks, kThreads>>>(x);
  CHECK(cudaGetLastError());
  return finish(checksum<float>(x));
}
