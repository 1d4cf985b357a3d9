// A loop of 50 iterations over managed memory. The host writes the memory before the loop and reads it
// afterwards.
#include "check.cuh"

namespace {

constexpr int kCount = 1 << 18;
constexpr int kBlocks = kCount / kThreads;

__global__ void add(float* x, const float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] += 0.1f * y[i];
}

__global__ void damp(float* x) {
  x[blockIdx.x * blockDim.x + threadIdx.x] *= 0.95f;
}

}  // namespace

int main() {
  float *x = nullptr, *y = nullptr;
  CHECK(cudaMallocManaged(&x, kCount * sizeof(float)));
  CHECK(cudaMallocManaged(&y, kCount * sizeof(float)));
  for (int i = 0; i < kCount; ++i) {
    x[i] = 0;
    y[i] = static_cast<float>(i % 13);
  }
  for (int i = 0; i < 50; ++i) {
    add<<<kBlocks, kThreads>>>(x, y);
    damp<<<kBlocks, kThreads>>>(x);
  }
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  const double sum = std::accumulate(x, x + kCount, 0.0);
  CHECK(cudaFree(x));
  CHECK(cudaFree(y));
  return finish(sum);
}
