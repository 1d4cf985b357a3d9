// A wave on a grid of 2048 x 2048 points in managed memory. The host drives one point before each iteration
// and reads another one after it, which moves two pages back and forth.
//
// usage: managed [ITERATIONS]
#include <utility>

#include "program.cuh"

namespace {

constexpr int kSide = 2048;
constexpr int64_t kPoints = int64_t{kSide} * kSide;

float* managed_zeros() {
  float* values = nullptr;
  CHECK(cudaMallocManaged(&values, kPoints * sizeof(float)));
  CHECK(cudaMemset(values, 0, kPoints * sizeof(float)));
  return values;
}

__global__ void step(const float* now, float* next) {
  const int64_t i = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  const int x = static_cast<int>(i % kSide), y = static_cast<int>(i / kSide);
  if (x == 0 || y == 0 || x == kSide - 1 || y == kSide - 1) return;
  const float around = now[i - 1] + now[i + 1] + now[i - kSide] + now[i + kSide];
  next[i] = 2 * now[i] - next[i] + 0.2F * (around - 4 * now[i]);
}

__global__ void damp(float* values) {
  values[blockIdx.x * int64_t{kThreads} + threadIdx.x] *= 0.9999F;
}

}  // namespace

int main(int argc, char** argv) {
  float* now = managed_zeros();
  float* next = managed_zeros();
  CHECK(cudaDeviceSynchronize());
  float seen = 0;
  for (int i = 0; i < iterations(argc, argv); ++i) {
    now[kPoints / 2 + kSide / 2] = drawn(static_cast<uint32_t>(i), 3);
    for (int turn = 0; turn < 4; ++turn) {
      step<<<blocks(kPoints), kThreads>>>(now, next);
      damp<<<blocks(kPoints), kThreads>>>(next);
      std::swap(now, next);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    seen = now[kPoints / 2 + kSide / 4];
  }
  return ended_with(seen);
}
