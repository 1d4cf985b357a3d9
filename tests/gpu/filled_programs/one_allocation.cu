// Allocates a GPU's memory in one allocation, from which all buffers are cut, as JAX does by default. An
// iteration changes little of it, or a given part.
//
// usage: one_allocation use|leave GIB [CHANGED_GIB]
//
// Iterates for two minutes: products with weights, another slot of a cache in each iteration, and scratch
// memory whose contents are the same at the end of each iteration as at its beginning. With CHANGED_GIB, an
// iteration also changes this much memory, as an optimizer does.
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(call) check((call), #call)

static void check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "one_allocation: %s: %s\n", call, cudaGetErrorString(status));
  std::exit(1);
}

constexpr size_t kGiB = size_t{1} << 30;
constexpr unsigned kWidth = 1 << 20;  // floats of a buffer
constexpr unsigned kLayers = 16;
constexpr unsigned kSlot = 4096;  // floats that an iteration adds to the cache
constexpr int kThreads = 256, kSeconds = 120;

__global__ void fill(float* y, float value, size_t count) {
  const size_t step = size_t{gridDim.x} * blockDim.x;
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) y[i] = value;
}

__global__ void layer(float* out, const float* in, const float* weights, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = 0.5F * in[i] * weights[i] + 0.25F * in[(i + 1) % count];
}

__global__ void add(float* y, const float* x, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = 0.5F * y[i] + x[i];
}

__global__ void change(float* y, size_t count) {
  const size_t step = size_t{gridDim.x} * blockDim.x;
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) y[i] = 1.0F - 0.999F * y[i];
}

/// Cuts buffers from one allocation.
class Arena {
 public:
  explicit Arena(size_t bytes) : left_(bytes / sizeof(float)) { CHECK(cudaMalloc(&next_, bytes)); }
  float* cut(size_t floats) {
    if (floats > left_) {
      std::fprintf(stderr, "one_allocation: the allocation is too small\n");
      std::exit(1);
    }
    left_ -= floats;
    return (next_ += floats) - floats;
  }
  size_t left() const { return left_; }

 private:
  float* next_ = nullptr;
  size_t left_;
};

int main(int count, char** words) {
  if (count < 3) {
    std::fprintf(stderr, "usage: one_allocation use|leave GIB [CHANGED_GIB]\n");
    return 2;
  }
  size_t free = 0, total = 0;
  CHECK(cudaMemGetInfo(&free, &total));
  const auto given = static_cast<size_t>(std::atof(words[2]) * kGiB);
  const bool leaves = std::strcmp(words[1], "leave") == 0;
  Arena arena(leaves ? free - given : given);
  float* weights = arena.cut(size_t{kLayers} * kWidth);
  float *first = arena.cut(kWidth), *second = arena.cut(kWidth), *sum = arena.cut(kWidth), *scratch = arena.cut(kWidth);
  const size_t changed = count > 3 ? static_cast<size_t>(std::atof(words[3]) * kGiB) / sizeof(float) : 0;
  float* state = arena.cut(changed);
  const size_t slots = arena.left() / kSlot;
  float* cache = arena.cut(slots * kSlot);
  fill<<<4096, kThreads>>>(cache, 0.125F, slots * kSlot);
  fill<<<4096, kThreads>>>(weights, 0.75F, size_t{kLayers} * kWidth);
  if (changed > 0) fill<<<4096, kThreads>>>(state, 0.5F, changed);
  for (float* buffer : {first, second, sum, scratch}) fill<<<4096, kThreads>>>(buffer, 0, kWidth);
  CHECK(cudaDeviceSynchronize());
  constexpr unsigned kBlocks = kWidth / kThreads;
  const auto begin = std::chrono::steady_clock::now();
  long iterations = 0;
  for (; std::chrono::steady_clock::now() - begin < std::chrono::seconds(kSeconds); ++iterations) {
    float* slot = cache + size_t(iterations) * 7919 % slots * kSlot;
    fill<<<kBlocks, kThreads>>>(first, 1.0F / float(1 + iterations % 64), kWidth);
    for (unsigned i = 0; i < kLayers; ++i)
      layer<<<kBlocks, kThreads>>>(i % 2 ? first : second, i % 2 ? second : first, weights + size_t{i} * kWidth, kWidth);
    add<<<kSlot / kThreads, kThreads>>>(slot, first, kSlot);
    fill<<<kBlocks, kThreads>>>(scratch, 5, kWidth);
    add<<<kBlocks, kThreads>>>(sum, scratch, kWidth);
    add<<<kSlot / kThreads, kThreads>>>(sum, slot, kSlot);
    fill<<<kBlocks, kThreads>>>(scratch, 0, kWidth);
    if (changed > 0) change<<<4096, kThreads>>>(state, changed);
    CHECK(cudaDeviceSynchronize());
  }
  std::printf("%ld iterations\n", iterations);
  return 0;
}
