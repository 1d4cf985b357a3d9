// 4 million random keys are counted by their upper bits and sorted together with their places; the counts are
// scanned, each key's rank among its kind is scattered to its place, and the ranks are added up. The
// temporary memory for sorting and scanning is allocated once ("outside", CUB), in each call ("inside",
// Thrust), or from the device's pool in each iteration ("pool", CUB).
//
// usage: sort_scan [ITERATIONS [outside|inside|pool]]
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include <algorithm>
#include <cstring>
#include <cub/cub.cuh>

#include "program.cuh"

namespace {

constexpr int kKeys = 1 << 22;
constexpr int kKinds = 1 << 12;  // keys are counted by their upper bits

struct Arrays {
  uint32_t* keys = zeros<uint32_t>(kKeys);
  uint32_t* sorted = zeros<uint32_t>(kKeys);
  uint32_t* places = zeros<uint32_t>(kKeys);
  uint32_t* sorted_places = zeros<uint32_t>(kKeys);
  uint32_t* counts = zeros<uint32_t>(kKinds);
  uint32_t* begins = zeros<uint32_t>(kKinds);
  uint32_t* scanned = zeros<uint32_t>(kKeys);
  uint32_t* total = zeros<uint32_t>(1);
};

__global__ void draw(uint32_t* keys, uint32_t* places) {
  const uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  keys[i] = static_cast<uint32_t>(drawn(i, 7) * (1 << 24)) << 8 | (i & 255);
  places[i] = i;
}

__global__ void count(const uint32_t* keys, uint32_t* counts) {
  atomicAdd(counts + keys[blockIdx.x * kThreads + threadIdx.x] / (uint32_t{1} << 20), 1);
}

__global__ void scatter(const uint32_t* sorted, const uint32_t* begins, const uint32_t* places,
                        uint32_t* to) {
  const uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  to[places[i]] = i - begins[sorted[i] / (uint32_t{1} << 20)];
}

/// Without memory, each call returns the size of the memory that it needs.
size_t with_cub(const Arrays& a, void* memory, size_t bytes) {
  size_t needed[3] = {bytes, bytes, bytes};
  CHECK(
      cub::DeviceRadixSort::SortPairs(memory, needed[0], a.keys, a.sorted, a.places, a.sorted_places, kKeys));
  CHECK(cub::DeviceScan::ExclusiveSum(memory, needed[1], a.counts, a.begins, kKinds));
  if (memory != nullptr)
    scatter<<<kKeys / kThreads, kThreads>>>(a.sorted, a.begins, a.sorted_places, a.scanned);
  CHECK(cub::DeviceReduce::Sum(memory, needed[2], a.scanned, a.total, kKeys));
  return std::max({needed[0], needed[1], needed[2]});
}

uint32_t with_thrust(const Arrays& a) {
  thrust::sort_by_key(thrust::device, a.keys, a.keys + kKeys, a.places);
  thrust::exclusive_scan(thrust::device, a.counts, a.counts + kKinds, a.begins);
  scatter<<<kKeys / kThreads, kThreads>>>(a.keys, a.begins, a.places, a.scanned);
  return thrust::reduce(thrust::device, a.scanned, a.scanned + kKeys);
}

uint32_t from_pool(const Arrays& a, size_t bytes) {
  void* memory = nullptr;
  CHECK(cudaMallocAsync(&memory, bytes, nullptr));
  with_cub(a, memory, bytes);
  CHECK(cudaFreeAsync(memory, nullptr));
  return first_of(a.total);
}

}  // namespace

int main(int argc, char** argv) {
  const char* way = argc > 2 ? argv[2] : "outside";
  const Arrays arrays;
  const size_t bytes = with_cub(arrays, nullptr, 0);
  void* memory = zeros<char>(static_cast<int64_t>(bytes));
  uint32_t total = 0;
  for (int i = 0; i < iterations(argc, argv); ++i) {
    draw<<<kKeys / kThreads, kThreads>>>(arrays.keys, arrays.places);
    CHECK(cudaMemsetAsync(arrays.counts, 0, kKinds * sizeof(uint32_t)));
    count<<<kKeys / kThreads, kThreads>>>(arrays.keys, arrays.counts);
    if (std::strcmp(way, "inside") == 0) {
      total = with_thrust(arrays);
    } else if (std::strcmp(way, "pool") == 0) {
      total = from_pool(arrays, bytes);
    } else {
      with_cub(arrays, memory, bytes);
      total = first_of(arrays.total);
    }
    CHECK(cudaGetLastError());
  }
  return ended_with(total);
}
