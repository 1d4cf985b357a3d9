// 200 launches of 20 kernel functions, each with another grid, so that no two launches are the same kernel;
// then one copy, for which the host waits.
#include <array>
#include <utility>

#include "check.cuh"

namespace {

constexpr int kLaunches = 200, kKernels = 20;
constexpr int kCount = kLaunches * kThreads;

template <int kNumber>
__global__ void step(float* x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = 0.5f * x[i] + 1.0f / (1 + kNumber + i % (kNumber + 2));
}

using Kernel = void (*)(float*);

template <int... kNumbers>
constexpr std::array<Kernel, sizeof...(kNumbers)> steps(std::integer_sequence<int, kNumbers...>) {
  return {step<kNumbers>...};
}

constexpr auto kSteps = steps(std::make_integer_sequence<int, kKernels>());

}  // namespace

int main() {
  const DeviceArray<float> x(kCount);
  float* host = nullptr;
  CHECK(cudaMallocHost(&host, kCount * sizeof(float)));
  CHECK(cudaMemsetAsync(x, 0, kCount * sizeof(float)));
  for (int i = 0; i < kLaunches; ++i) kSteps[i % kKernels]<<<1 + i, kThreads>>>(x);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpyAsync(host, x, kCount * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaDeviceSynchronize());
  const double sum = std::accumulate(host, host + kCount, 0.0);
  CHECK(cudaFreeHost(host));
  return finish(sum);
}
