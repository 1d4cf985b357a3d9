// Persistent blocks that take tiles from a counter in device code, and a table in device code that the next
// iteration reads. No call of the host names these variables.
//
// usage: variables [ITERATIONS]
#include "program.cuh"

namespace {

constexpr int kTiles = 4096, kTileItems = 1024;
constexpr int64_t kItems = int64_t{kTiles} * kTileItems;
constexpr int kPersistentBlocks = 264;
constexpr int kBins = 64;

__device__ unsigned next_tile;
__device__ unsigned bins[kBins];
__device__ float levels[kBins];
__constant__ float gain;

__global__ void begin() {
  if (threadIdx.x == 0) next_tile = 0;
  if (threadIdx.x < kBins) bins[threadIdx.x] = 0;
}

__global__ void take_tiles(float* values) {
  __shared__ unsigned tile;
  for (;;) {
    if (threadIdx.x == 0) tile = atomicAdd(&next_tile, 1);
    __syncthreads();
    const unsigned mine = tile;
    __syncthreads();
    if (mine >= kTiles) return;
    for (int i = threadIdx.x; i < kTileItems; i += kThreads) {
      float& value = values[int64_t{mine} * kTileItems + i];
      const int bin = min(static_cast<int>(value * kBins), kBins - 1);
      atomicAdd(&bins[bin], 1U);
      value = fminf(fmaxf(value + gain * (levels[bin] - value), 0.0F), 1.0F);
    }
  }
}

__global__ void update_levels() {
  const int bin = threadIdx.x;
  const float share = static_cast<float>(bins[bin]) / kItems;
  levels[bin] = 0.9F * levels[bin] + 0.1F * fminf(share * kBins, 1.0F) * static_cast<float>(bin) / kBins;
}

}  // namespace

int main(int argc, char** argv) {
  float* values = random_values(kItems, 0, 1, 5);
  const float slow = 1e-4F;
  CHECK(cudaMemcpyToSymbol(gain, &slow, sizeof slow));
  for (int i = 0; i < iterations(argc, argv); ++i) {
    begin<<<1, kThreads>>>();
    take_tiles<<<kPersistentBlocks, kThreads>>>(values);
    update_levels<<<1, kBins>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
  }
  return ended_with(first_of(values));
}
