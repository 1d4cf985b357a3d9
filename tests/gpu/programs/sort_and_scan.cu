// Thrust sorts a million keys and CUB adds them up, 30 times; each call allocates its temporary memory.
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include <cub/device/device_scan.cuh>

#include "check.cuh"

namespace {

constexpr int kCount = 1 << 20;
constexpr int kBlocks = kCount / kThreads;

__global__ void draw(unsigned* keys, unsigned seed) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned drawn = (i + seed) * 2654435761u;
  keys[i] = (drawn ^ (drawn >> 15)) * 0x85ebca6bu;
}

void scan(const unsigned* keys, unsigned* sums) {
  size_t bytes = 0;
  CHECK(cub::DeviceScan::InclusiveSum(nullptr, bytes, keys, sums, kCount));
  const DeviceArray<char> temporary(bytes);
  CHECK(cub::DeviceScan::InclusiveSum(temporary, bytes, keys, sums, kCount));
}

}  // namespace

int main() {
  const DeviceArray<unsigned> keys(kCount), sums(kCount);
  for (unsigned i = 0; i < 30; ++i) {
    draw<<<kBlocks, kThreads>>>(keys, i);
    CHECK(cudaGetLastError());
    thrust::sort(thrust::device, keys.get(), keys.get() + kCount);
    scan(keys, sums);
  }
  return finish(checksum<unsigned>(sums));
}
