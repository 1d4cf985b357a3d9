// Variables of the device, copied by name: in each step the host sends a filter's coefficients and options to
// __constant__ variables and a threshold to a __device__ variable, and reads a counter and the largest
// values.
//
// Difficult: no argument of the kernels contains the addresses of these values, and the values of the next
// step depend on those that were read.
//
// usage: symbols [STEPS]    STEPS is 48,000 by default; each takes about 0.5 ms

#include "shared.cuh"

namespace {

constexpr int kSamples = 1 << 23;
constexpr int kTaps = 64;
constexpr int kGroups = 256;

struct Options {
  float gain, bound;
  uint32_t seed;
  int shift;
};

__constant__ float coefficients[kTaps];
__constant__ Options options;
__device__ float threshold;
__device__ uint32_t above;
__device__ float largest[kGroups];

/// Adds noise that the options choose.
__global__ void excite(float* signal) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  signal[i] += options.gain * number(mixed(i + options.seed));
}

__global__ void filter(const float* signal, float* filtered) {
  __shared__ float tile[kThreads + kTaps];
  const int first = blockIdx.x * blockDim.x;
  for (int i = threadIdx.x; i < kThreads + kTaps; i += kThreads)
    tile[i] = signal[(first + i + options.shift) % kSamples];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int tap = 0; tap < kTaps; ++tap) sum += coefficients[tap] * tile[threadIdx.x + tap];
  filtered[first + threadIdx.x] = sum;
}

__global__ void saturate(float* signal) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  signal[i] = options.bound * tanhf(signal[i] / options.bound);
}

/// Counts the values above the threshold.
__global__ void count(const float* signal) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int found = __syncthreads_count(signal[i] > threshold);
  if (threadIdx.x == 0 && found > 0) atomicAdd(&above, static_cast<uint32_t>(found));
}

/// The largest value of each group, one block for each.
__global__ void find_largest(const float* signal) {
  __shared__ float of_threads[kThreads];
  float most = -1e30f;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < kSamples; i += kGroups * kThreads)
    most = fmaxf(most, signal[i]);
  of_threads[threadIdx.x] = most;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      of_threads[threadIdx.x] = fmaxf(of_threads[threadIdx.x], of_threads[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) largest[blockIdx.x] = of_threads[0];
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 48000;
  constexpr int kBlocks = kSamples / kThreads;
  const PinnedArray<float> next_coefficients(kTaps);
  const DeviceArray<float> first(kSamples), second(kSamples);
  CHECK(cudaMemset(first, 0, kSamples * sizeof(float)));
  Fingerprint fingerprint;
  float *now = first, *next = second;
  float read[kGroups] = {}, mean = 0;
  uint32_t counted = 0;
  for (int step = 0; step < steps; ++step) {
    // The copy of the step before has run: the host has waited for what followed it.
    for (int tap = 0; tap < kTaps; ++tap)
      next_coefficients[tap] = (0.5f + number(mixed(step * kTaps + tap))) * 1.5f / kTaps;
    CHECK(cudaMemcpyToSymbolAsync(coefficients, next_coefficients, kTaps * sizeof(float), 0,
                                  cudaMemcpyHostToDevice));
    const Options chosen{0.5f, 1 + 0.1f * (step % 10), mixed(step) + counted, step % 1000};
    CHECK(cudaMemcpyToSymbolAsync(options, &chosen, sizeof chosen, 0, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(threshold, &mean, sizeof mean));
    excite<<<kBlocks, kThreads>>>(now);
    for (int pass = 0; pass < 3; ++pass) {
      filter<<<kBlocks, kThreads>>>(now, next);
      std::swap(now, next);
      saturate<<<kBlocks, kThreads>>>(now);
    }
    count<<<kBlocks, kThreads>>>(now);
    find_largest<<<kGroups, kThreads>>>(now);
    fingerprint.add(now, kSamples);
    CHECK(cudaMemcpyFromSymbolAsync(read, largest, sizeof read, 0, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpyFromSymbol(&counted, above, sizeof counted));
    mean = 0;
    for (const float most : read) mean += 0.5f * most / kGroups;
  }
  return finish(fingerprint.sum());
}
