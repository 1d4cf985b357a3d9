// Diffusion in 120 sweeps between two buffers that are swapped after each: two sweeps are one iteration.
#include <utility>

#include "check.cuh"

namespace {

constexpr int kSide = 1024;
constexpr int kCells = kSide * kSide;
constexpr int kBlocks = kCells / kThreads;

__global__ void fill(float* cells) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  cells[i] = i % 17 == 0 ? 17 : 0;
}

__global__ void sweep(const float* from, float* to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int column = i % kSide, row = i / kSide;
  const float left = from[column > 0 ? i - 1 : i], right = from[column < kSide - 1 ? i + 1 : i];
  const float above = from[row > 0 ? i - kSide : i], below = from[row < kSide - 1 ? i + kSide : i];
  to[i] = 0.5f * from[i] + 0.125f * (left + right + above + below);
}

}  // namespace

int main() {
  const DeviceArray<float> first(kCells), second(kCells);
  float *from = first, *to = second;
  fill<<<kBlocks, kThreads>>>(from);
  for (int i = 0; i < 120; ++i) {
    sweep<<<kBlocks, kThreads>>>(from, to);
    std::swap(from, to);
  }
  CHECK(cudaGetLastError());
  return finish(checksum(from));
}
