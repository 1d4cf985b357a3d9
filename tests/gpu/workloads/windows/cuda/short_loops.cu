// 25 loops, one after another: five kinds of work in five sizes. Each repeats one kernel that no other loop
// has and that takes about 0.8 ms. The host waits after each loop.
//
// usage: short_loops [LAUNCHES]     number of launches of each loop; 100 by default
#include <utility>

#include "../../../programs/check.cuh"

namespace {

constexpr size_t kCount = size_t{192} << 20;  // floats of one array
constexpr int kThin = 1 << 22;                // elements of kernels that compute more than they read
constexpr int kSizes = 5;

using Step = void (*)(const float*, float*);

struct Loop {
  Step step;
  int blocks;
};

__device__ size_t place() {
  return blockIdx.x * size_t{blockDim.x} + threadIdx.x;
}

/// Reads and writes all of an array.
template <int size>
__global__ void scale(const float* x, float* y) {
  y[place()] = (0.9f + 0.01f * size) * x[place()] + size;
}

/// Reads neighbours that are `size` rows away.
template <int size>
__global__ void smooth(const float* x, float* y) {
  constexpr size_t kAway = 2048 * (size + 1);
  const size_t i = place();
  const float before = i >= kAway ? x[i - kAway] : 0, after = i + kAway < kCount ? x[i + kAway] : 0;
  y[i] = 0.25f * before + 0.5f * x[i] + 0.25f * after;
}

/// Evaluates a chain of functions for each element.
template <int size>
__global__ void waves(const float* x, float* y) {
  float value = x[place()];
  for (int i = 0; i < 140 + 8 * size; ++i) value = sinf(value) + 0.5f * cosf(value);
  y[place()] = value;
}

/// Adds up blocks of elements in shared memory.
template <int size>
__global__ void reduce(const float* x, float* y) {
  __shared__ float sums[kThreads];
  sums[threadIdx.x] = x[place()];
  for (int width = kThreads / 2; width > 0; width /= 2) {
    __syncthreads();
    if (threadIdx.x < width) sums[threadIdx.x] += sums[threadIdx.x + width];
  }
  __syncthreads();
  y[place()] = x[place()] + 1e-4f / (size + 1) * sums[0];
}

/// Follows places that depend on what was read before.
template <int size>
__global__ void chase(const float* x, float* y) {
  size_t i = place() * 40503 % kCount;
  float sum = 0;
  for (int hop = 0; hop < 9 + size; ++hop) {
    const float value = x[i];
    sum += value;
    i = (i * 1664525 + 1013904223 + (value > 0)) % kCount;
  }
  y[place()] = sum / (10 + size);
}

template <int... sizes>
std::vector<Loop> loops_of(std::integer_sequence<int, sizes...>) {
  constexpr int kWide = kCount / kThreads, kNarrow = kThin / kThreads;
  std::vector<Loop> loops;
  (loops.insert(loops.end(), {Loop{scale<sizes>, kWide},
                              {smooth<sizes>, kWide},
                              {waves<sizes>, kNarrow},
                              {reduce<sizes>, kWide},
                              {chase<sizes>, kNarrow}}),
   ...);
  return loops;
}

__global__ void begin(float* x) {
  x[place()] = 1 + place() % 7;
}

}  // namespace

int main(int argc, char** argv) {
  const int launches = argc > 1 ? std::atoi(argv[1]) : 100;
  const DeviceArray<float> first(kCount), second(kCount);
  begin<<<kCount / kThreads, kThreads>>>(first);
  begin<<<kCount / kThreads, kThreads>>>(second);
  float *x = first, *y = second;
  double sum = 0;
  for (const Loop& loop : loops_of(std::make_integer_sequence<int, kSizes>{})) {
    for (int i = 0; i < launches; ++i) {
      loop.step<<<loop.blocks, kThreads>>>(x, y);
      std::swap(x, y);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    sum += checksum<float>(x);
  }
  return finish(sum);
}
