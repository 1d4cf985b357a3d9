// Heat that flows through a block of 256 x 256 x 256 points: eight sweeps an iteration, with borders that are
// held warm and cold, then the largest change, which the host reads.
//
// usage: stencil [ITERATIONS]
#include "program.cuh"

namespace {

constexpr int kPoints = 256;
constexpr int64_t kAll = int64_t{kPoints} * kPoints * kPoints;
constexpr int kSweeps = 8;
constexpr int kTile = 32, kRows = 8;

__device__ int64_t place(int x, int y, int z) {
  return (int64_t{z} * kPoints + y) * kPoints + x;
}

__global__ void sweep(const float* __restrict__ from, const float* __restrict__ conductivity,
                      float* __restrict__ to) {
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kRows + threadIdx.y;
  if (x == 0 || y == 0 || x >= kPoints - 1 || y >= kPoints - 1) return;
  float below = from[place(x, y, 0)], here = from[place(x, y, 1)];
  for (int z = 1; z < kPoints - 1; ++z) {
    const float above = from[place(x, y, z + 1)];
    const float around = from[place(x - 1, y, z)] + from[place(x + 1, y, z)] + from[place(x, y - 1, z)] +
                         from[place(x, y + 1, z)] + below + above;
    to[place(x, y, z)] = here + conductivity[place(x, y, z)] * (around - 6 * here);
    below = here;
    here = above;
  }
}

__global__ void hold_borders(float* values) {
  const int a = blockIdx.x * kTile + threadIdx.x, b = blockIdx.y * kRows + threadIdx.y;
  values[place(0, a, b)] = 1.0f;
  values[place(kPoints - 1, a, b)] = 0.0f;
  values[place(a, 0, b)] = values[place(a, kPoints - 1, b)] = 0.5f;
  values[place(a, b, 0)] = values[place(a, b, kPoints - 1)] = 0.5f;
}

/// The bits of floats that are not negative have the order of the floats.
__global__ void largest_change(const float* before, const float* after, unsigned* largest) {
  float found = 0;
  for (int64_t i = blockIdx.x * int64_t{kThreads} + threadIdx.x; i < kAll; i += int64_t{gridDim.x} * kThreads)
    found = fmaxf(found, fabsf(after[i] - before[i]));
  for (int lanes = 16; lanes > 0; lanes /= 2) found = fmaxf(found, __shfl_down_sync(~0u, found, lanes));
  if (threadIdx.x % 32 == 0) atomicMax(largest, __float_as_uint(found));
}

}  // namespace

int main(int argc, char** argv) {
  float* values[2] = {random_values(kAll, 0, 1, 1), random_values(kAll, 0, 1, 1)};
  const float* conductivity = random_values(kAll, 0.05f, 0.15f, 2);
  unsigned* largest = zeros<unsigned>(1);
  const dim3 threads(kTile, kRows), tiles(kPoints / kTile, kPoints / kRows);
  float change = 0;
  for (int i = 0; i < iterations(argc, argv); ++i) {
    for (int s = 0; s < kSweeps; ++s) {
      sweep<<<tiles, threads>>>(values[s % 2], conductivity, values[(s + 1) % 2]);
      hold_borders<<<tiles, threads>>>(values[(s + 1) % 2]);
    }
    CHECK(cudaMemsetAsync(largest, 0, sizeof(unsigned)));
    largest_change<<<1024, kThreads>>>(values[1], values[0], largest);
    CHECK(cudaMemcpy(&change, largest, sizeof change, cudaMemcpyDeviceToHost));
    CHECK(cudaGetLastError());
  }
  return ended_with(change + first_of(values[0] + kAll / 2));
}
