// 100 iterations that copy 1 MiB to the device, compute, and copy it back.
#include "check.cuh"

namespace {

constexpr int kCount = 1 << 18;
constexpr int kBlocks = kCount / kThreads;
constexpr size_t kBytes = kCount * sizeof(float);

__global__ void square(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] * x[i];
}

__global__ void mirror(float* x, const float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = 0.5f * (x[i] + 1 / (1 + y[kCount - 1 - i]));
}

}  // namespace

int main() {
  const DeviceArray<float> x(kCount), y(kCount);
  float* host = nullptr;
  CHECK(cudaMallocHost(&host, kBytes));
  for (int i = 0; i < kCount; ++i) host[i] = static_cast<float>(i % 11);
  for (int i = 0; i < 100; ++i) {
    CHECK(cudaMemcpy(x, host, kBytes, cudaMemcpyHostToDevice));
    square<<<kBlocks, kThreads>>>(x, y);
    mirror<<<kBlocks, kThreads>>>(x, y);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, x, kBytes, cudaMemcpyDeviceToHost));
    host[i] += 1;
  }
  const double sum = std::accumulate(host, host + kCount, 0.0);
  CHECK(cudaFreeHost(host));
  return finish(sum);
}
