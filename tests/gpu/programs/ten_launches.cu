// Ten launches in total, all different: a memset, eight kernels and a copy.
#include "check.cuh"

namespace {

constexpr int kCount = 1 << 20;
constexpr int kBlocks = kCount / kThreads;

template <int kNumber>
__global__ void step(float* x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = 0.5f * x[i] + 1.0f / (1 + kNumber + i % (kNumber + 2));
}

}  // namespace

int main() {
  const DeviceArray<float> x(kCount);
  CHECK(cudaMemsetAsync(x, 0, kCount * sizeof(float)));
  step<0><<<kBlocks, kThreads>>>(x);
  step<1><<<kBlocks, kThreads>>>(x);
  step<2><<<kBlocks, kThreads>>>(x);
  step<3><<<kBlocks, kThreads>>>(x);
  step<4><<<kBlocks, kThreads>>>(x);
  step<5><<<kBlocks, kThreads>>>(x);
  step<6><<<kBlocks, kThreads>>>(x);
  step<7><<<kBlocks, kThreads>>>(x);
  CHECK(cudaGetLastError());
  return finish(checksum<float>(x));
}
