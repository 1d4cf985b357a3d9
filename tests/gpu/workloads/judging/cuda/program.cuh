// The code that the judging programs in CUDA C++ share: checked calls, memory with random values, the
// argument, and the end.
#pragma once
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                    \
  do {                                                                                 \
    if (const int status = static_cast<int>(call); status != 0) {                      \
      std::fprintf(stderr, "%s:%d: %s gives %d\n", __FILE__, __LINE__, #call, status); \
      std::exit(1);                                                                    \
    }                                                                                  \
  } while (false)

constexpr int kThreads = 256;

inline int blocks(int64_t items) {
  return static_cast<int>((items + kThreads - 1) / kThreads);
}

/// Returns a number from 0 to 1 that depends on `i` and `seed`.
__host__ __device__ inline float drawn(uint32_t i, uint32_t seed) {
  uint32_t x = i * 2654435761u + seed * 0x9e3779b9u;
  x = (x ^ (x >> 16)) * 0x85ebca6bu;
  x = (x ^ (x >> 13)) * 0xc2b2ae35u;
  return static_cast<float>((x ^ (x >> 16)) >> 8) / (1 << 24);
}

static __global__ void fill(float* values, int64_t count, float low, float high, uint32_t seed) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i < count) values[i] = low + (high - low) * drawn(static_cast<uint32_t>(i), seed);
}

template <typename T>
T* zeros(int64_t count) {
  T* values = nullptr;
  CHECK(cudaMalloc(&values, count * sizeof(T)));
  CHECK(cudaMemset(values, 0, count * sizeof(T)));
  return values;
}

inline float* random_values(int64_t count, float low, float high, uint32_t seed) {
  float* values = zeros<float>(count);
  fill<<<blocks(count), kThreads>>>(values, count, low, high, seed);
  CHECK(cudaGetLastError());
  return values;
}

template <typename T>
T* on_device(const std::vector<T>& values) {
  T* copy = zeros<T>(static_cast<int64_t>(values.size()));
  CHECK(cudaMemcpy(copy, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return copy;
}

template <typename T>
T first_of(const T* values) {
  T value{};
  CHECK(cudaMemcpy(&value, values, sizeof(T), cudaMemcpyDeviceToHost));
  return value;
}

inline int iterations(int argc, char** argv) {
  return argc > 1 ? std::atoi(argv[1]) : 200;
}

/// Returns the exit code for main(): an error if the result is not finite.
inline int ended_with(double result) {
  CHECK(cudaDeviceSynchronize());
  std::printf("result %g\n", result);
  return std::isfinite(result) ? 0 : 1;
}
