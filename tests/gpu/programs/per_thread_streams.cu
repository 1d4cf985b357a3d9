// Two host threads that launch at the same time, each on its own default stream. The order of all launches
// varies, their numbers do not.
#include <thread>

#include "check.cuh"

namespace {

constexpr int kCount = 1 << 16;
constexpr int kBlocks = kCount / kThreads;

__global__ void fill(float* x, float value) {
  x[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void advance(float* x) {
  x[blockIdx.x * blockDim.x + threadIdx.x] += 0.5f;
}

__global__ void damp(float* x) {
  x[blockIdx.x * blockDim.x + threadIdx.x] *= 0.99f;
}

void loop(float* x, float value) {
  fill<<<kBlocks, kThreads, 0, cudaStreamPerThread>>>(x, value);
  for (int i = 0; i < 150; ++i) {
    advance<<<kBlocks, kThreads, 0, cudaStreamPerThread>>>(x);
    damp<<<kBlocks, kThreads, 0, cudaStreamPerThread>>>(x);
  }
  CHECK(cudaGetLastError());
  CHECK(cudaStreamSynchronize(cudaStreamPerThread));
}

}  // namespace

int main() {
  const DeviceArray<float> x(2 * kCount);
  std::thread first(loop, x.get(), 1.0f), second(loop, x + kCount, 100.0f);
  first.join();
  second.join();
  return finish(checksum(x + kCount - 512));
}
