// Three phases, each of which allocates and clears memory, loops 40 times, and frees it.
#include "check.cuh"

namespace {

constexpr int kCount = 1 << 20;
constexpr int kBlocks = kCount / kThreads;

__global__ void advance(float* x, float by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] += by / (1 + i % 3);
}

__global__ void observe(const float* x, float* result) {
  *result = x[0] + x[1] + x[2];
}

}  // namespace

int main() {
  constexpr int kPhases = 3;
  const DeviceArray<float> results(kPhases);
  for (int phase = 0; phase < kPhases; ++phase) {
    const DeviceArray<float> x(kCount);
    CHECK(cudaMemsetAsync(x, 0, kCount * sizeof(float)));
    for (int i = 0; i < 40; ++i) {
      advance<<<kBlocks, kThreads>>>(x, static_cast<float>(phase + 1));
      observe<<<1, 1>>>(x, results + phase);
    }
    CHECK(cudaGetLastError());
  }
  return finish(checksum<float>(results, kPhases));
}
