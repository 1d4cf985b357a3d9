// Kernels read the host's memory themselves: parameters, a table and samples are in mapped page-locked
// memory, and the host writes them before each iteration. A kernel writes its results to such memory as well.
//
// Difficult: no call announces new data. The host writes through ordinary pointers, after it has waited for
// the previous iteration.
//
// usage: mapped_reads [ITERATIONS]    ITERATIONS is 16,000 by default; each takes about 1.5 ms
#include "shared.cuh"

namespace {

constexpr int kSide = 2048;
constexpr int kField = kSide * kSide;
constexpr int kTable = 1 << 16;
constexpr int kSamples = 1 << 18;
constexpr int kLookups = 1 << 18;
constexpr int kResults = 256;
constexpr int kSteps = 6;

struct Parameters {
  float gain, speed, turn, bound;
  uint32_t seed;
};

/// Lets a wave run through the field; the parameters are read where the host wrote them.
__global__ void excite(float* field, const Parameters* parameters) {
  const float gain = parameters->gain, turn = parameters->turn;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kField; i += gridDim.x * blockDim.x)
    field[i] += gain * sinpif(turn * (i % kSide + i / kSide));
}

/// A step of diffusion.
__global__ void diffuse(const float* now, float* next, const Parameters* parameters) {
  const float speed = parameters->speed, bound = parameters->bound;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kField; i += gridDim.x * blockDim.x) {
    const int x = i % kSide, y = i / kSide;
    const float left = x > 0 ? now[i - 1] : bound, right = x < kSide - 1 ? now[i + 1] : bound;
    const float above = y > 0 ? now[i - kSide] : bound, below = y < kSide - 1 ? now[i + kSide] : bound;
    next[i] = now[i] + speed * (left + right + above + below - 4 * now[i]);
  }
}

/// Adds the host's samples, each of which is read once.
__global__ void add_samples(float* field, const float* samples) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  field[i * (kField / kSamples)] += 0.1f * samples[i];
}

/// Reads entries of the host's table in a random order.
__global__ void look_up(const float* field, const float* table, const Parameters* parameters, float* found) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t at = mixed(i ^ parameters->seed);
  found[i] = table[at % kTable] * field[at % kField];
}

/// The largest of each group of values, into the host's memory.
__global__ void report(const float* found, float* results) {
  __shared__ float largest[kThreads];
  float most = -1e30f;
  for (int i = threadIdx.x; i < kLookups / kResults; i += kThreads)
    most = fmaxf(most, found[blockIdx.x * (kLookups / kResults) + i]);
  largest[threadIdx.x] = most;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) largest[threadIdx.x] = fmaxf(largest[threadIdx.x], largest[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) results[blockIdx.x] = largest[0];
}

template <class T>
T* on_device(T* of_host) {
  T* pointer = nullptr;
  CHECK(cudaHostGetDevicePointer(&pointer, of_host, 0));
  return pointer;
}

}  // namespace

int main(int argc, char** argv) {
  const int iterations = argc > 1 ? std::atoi(argv[1]) : 16000;
  constexpr int kBlocks = 1056;
  const PinnedArray<Parameters> parameters(1, cudaHostAllocMapped);
  const PinnedArray<float> table(kTable, cudaHostAllocMapped);
  const PinnedArray<float> samples(kSamples, cudaHostAllocMapped | cudaHostAllocWriteCombined);
  const PinnedArray<float> results(kResults, cudaHostAllocMapped);
  const Parameters* parameters_read = on_device(parameters.get());
  const float *table_read = on_device(table.get()), *samples_read = on_device(samples.get());
  float* results_written = on_device(results.get());
  const DeviceArray<float> first(kField), second(kField), found(kLookups);
  CHECK(cudaMemset(first, 0, kField * sizeof(float)));
  Fingerprint fingerprint;
  float *now = first, *next = second;
  float most = 0;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    *parameters = {.gain = 0.1f / (1 + iteration % 7),
                   .speed = 0.15f + 0.01f * (iteration % 5),
                   .turn = 0.001f * (iteration % 1000),
                   .bound = 0.01f * (iteration % 10),
                   .seed = static_cast<uint32_t>(iteration) + static_cast<uint32_t>(most * 1e4f)};
    fill(table, kTable, iteration);
    fill(samples, kSamples, iteration + 1);
    excite<<<kBlocks, kThreads>>>(now, parameters_read);
    add_samples<<<kSamples / kThreads, kThreads>>>(now, samples_read);
    for (int step = 0; step < kSteps; ++step) {
      diffuse<<<kBlocks, kThreads>>>(now, next, parameters_read);
      std::swap(now, next);
    }
    look_up<<<kLookups / kThreads, kThreads>>>(now, table_read, parameters_read, found);
    report<<<kResults, kThreads>>>(found, results_written);
    fingerprint.add(now, kField);
    fingerprint.add(found.get(), kLookups);
    fingerprint.add(table_read, kTable);
    fingerprint.add(samples_read, kSamples);
    CHECK(cudaDeviceSynchronize());
    most = 0;
    for (int i = 0; i < kResults; ++i) most = results[i] > most ? results[i] : most;
  }
  return finish(fingerprint.sum());
}
