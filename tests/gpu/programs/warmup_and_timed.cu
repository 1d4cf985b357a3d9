// A benchmark: a warm-up loop, a synchronisation, and a timed loop of other kernels.
#include "check.cuh"

namespace {

constexpr int kCount = 1 << 20;
constexpr int kBlocks = kCount / kThreads;

__global__ void fill(float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = i % 3;
  y[i] = 1;
}

__global__ void warm_x(float* x) {
  x[blockIdx.x * blockDim.x + threadIdx.x] += 0.25f;
}

__global__ void warm_y(float* y) {
  y[blockIdx.x * blockDim.x + threadIdx.x] *= 0.99f;
}

__global__ void kick(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] -= 0.01f * x[i];
}

__global__ void drift(float* x, const float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] += 0.01f * y[i];
}

__global__ void rub(float* y) {
  y[blockIdx.x * blockDim.x + threadIdx.x] *= 0.999f;
}

}  // namespace

int main() {
  const DeviceArray<float> x(kCount), y(kCount);
  cudaEvent_t begin{}, end{};
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  fill<<<kBlocks, kThreads>>>(x, y);
  for (int i = 0; i < 20; ++i) {
    warm_x<<<kBlocks, kThreads>>>(x);
    warm_y<<<kBlocks, kThreads>>>(y);
  }
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaEventRecord(begin));
  for (int i = 0; i < 100; ++i) {
    kick<<<kBlocks, kThreads>>>(x, y);
    drift<<<kBlocks, kThreads>>>(x, y);
    rub<<<kBlocks, kThreads>>>(y);
  }
  CHECK(cudaEventRecord(end));
  CHECK(cudaEventSynchronize(end));
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  std::printf("timed loop %.3f ms, ", milliseconds);
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  return finish(checksum<float>(x));
}
