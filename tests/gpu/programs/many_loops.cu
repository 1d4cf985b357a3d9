// 25 loops, one after another. Each repeats one kernel of its own, which takes about 0.8 ms.
#include <utility>

#include "check.cuh"

namespace {

constexpr int kLoops = 25, kIterations = 30;
constexpr int kCount = 1 << 15;
constexpr int kSteps = 350'000;  // length of a chain of dependent instructions

/// Each Loop has a kernel type of its own, so that the kernels' names differ.
template <int Loop>
__global__ void relax(float* x) {
  float value = Loop == 0 ? 0 : x[blockIdx.x * blockDim.x + threadIdx.x];
  for (int i = 0; i < kSteps; ++i) value = value * 0.999f + (1 + Loop) * 1e-3f;
  x[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

template <int Loop>
void run(float* x) {
  for (int i = 0; i < kIterations; ++i) relax<Loop><<<kCount / kThreads, kThreads>>>(x);
  CHECK(cudaDeviceSynchronize());
}

template <int... Loops>
void run_all(float* x, std::integer_sequence<int, Loops...>) {
  (run<Loops>(x), ...);
}

}  // namespace

int main() {
  const DeviceArray<float> x(kCount);
  run_all(x, std::make_integer_sequence<int, kLoops>());
  return finish(checksum<float>(x));
}
