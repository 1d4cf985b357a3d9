// Distances from the middle of a 256 x 256 maze, level by level. The host reads after each level whether a
// cell was reached, and stops after the first level without one.
#include "check.cuh"

namespace {

constexpr int kSide = 256;
constexpr int kCells = kSide * kSide;
constexpr int kBlocks = kCells / kThreads;
constexpr int kStart = kCells / 2 + kSide / 2;
constexpr int kUnknown = -1, kWall = -2;

__global__ void build(int* levels) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned drawn = i * 2654435761u;
  drawn = (drawn ^ (drawn >> 15)) * 0x85ebca6bu;
  levels[i] = i == kStart ? 0 : (drawn >> 16) % 4 == 0 ? kWall : kUnknown;
}

__global__ void expand(int* levels, int level, int* reached) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (levels[i] != kUnknown) return;
  const int column = i % kSide, row = i / kSide;
  if ((column > 0 && levels[i - 1] == level) || (column < kSide - 1 && levels[i + 1] == level) ||
      (row > 0 && levels[i - kSide] == level) || (row < kSide - 1 && levels[i + kSide] == level)) {
    levels[i] = level + 1;
    *reached = 1;
  }
}

}  // namespace

int main() {
  const DeviceArray<int> levels(kCells), reached(1);
  build<<<kBlocks, kThreads>>>(levels);
  int reached_on_host = 1;
  for (int level = 0; reached_on_host != 0; ++level) {
    CHECK(cudaMemsetAsync(reached, 0, sizeof(int)));
    expand<<<kBlocks, kThreads>>>(levels, level, reached);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&reached_on_host, reached, sizeof(int), cudaMemcpyDeviceToHost));
  }
  return finish(checksum<int>(levels + kCells - 1024));
}
