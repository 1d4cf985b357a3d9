// A table of 3 GiB that the host keeps in page-locked memory goes to the device in each iteration, in three
// chunks of 1 GiB, because the host has changed some of its words. Kernels work on each chunk.
//
// Difficult: 3 GiB are sent in an iteration, of which some thousand words are new.
//
// usage: large_copies [ITERATIONS]    ITERATIONS is 350 by default; each takes about 70 ms
#include "shared.cuh"

namespace {

constexpr int kChunks = 3;
constexpr size_t kChunk = size_t{1} << 28;  // values; 1 GiB
constexpr int kBins = 1024;
constexpr int kSums = 1024;
constexpr int kChanged = 4096;  // words of each chunk that the host changes

/// Counts the values of each range; added to by every launch.
__global__ void count(const float* values, uint32_t* bins) {
  __shared__ uint32_t own[kBins];
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) own[bin] = 0;
  __syncthreads();
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < kChunk;
       i += size_t{gridDim.x} * blockDim.x)
    atomicAdd(&own[min(kBins - 1, max(0, static_cast<int>((values[i] + 0.5f) * kBins)))], 1u);
  __syncthreads();
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x)
    if (own[bin] > 0) atomicAdd(&bins[bin], own[bin]);
}

/// Mixes each value with its neighbours and with what was there before.
__global__ void blend(const float* values, float* state) {
  const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  const float left = values[i > 0 ? i - 1 : i], right = values[i < kChunk - 1 ? i + 1 : i];
  state[i] = 0.5f * state[i] + 0.25f * values[i] + 0.125f * (left + right);
}

/// Sums of the state, one for each block.
__global__ void add_up(const float* state, float* sums) {
  __shared__ float of_threads[kThreads];
  float sum = 0;
  for (size_t i = blockIdx.x * size_t{kThreads} + threadIdx.x; i < kChunk; i += size_t{kSums} * kThreads)
    sum += state[i];
  of_threads[threadIdx.x] = sum;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) of_threads[threadIdx.x] += of_threads[threadIdx.x + half];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = of_threads[0];
}

/// Takes the mean away.
__global__ void center(float* state, const float* sums) {
  const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  state[i] -= sums[i % kSums] * (1.f * kSums / kChunk);
}

}  // namespace

int main(int argc, char** argv) {
  const int iterations = argc > 1 ? std::atoi(argv[1]) : 350;
  constexpr unsigned kBlocks = kChunk / kThreads;
  const PinnedArray<float> table(kChunks * kChunk), sums_read(kChunks * kSums);
  const DeviceArray<float> received(kChunks * kChunk), state(kChunk), sums(kChunks * kSums);
  const DeviceArray<uint32_t> bins(kBins);
  fill(table, kChunks * kChunk, 1);
  CHECK(cudaMemset(state, 0, kChunk * sizeof(float)));
  CHECK(cudaMemset(bins, 0, kBins * sizeof(uint32_t)));
  Fingerprint fingerprint;
  CHECK(cudaDeviceSynchronize());
  const Stream stream;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    for (int chunk = 0; chunk < kChunks; ++chunk) {
      float* values = received + kChunk * chunk;
      CHECK(cudaMemcpyAsync(values, table + kChunk * chunk, kChunk * sizeof(float), cudaMemcpyHostToDevice,
                            stream));
      fingerprint.add(values, kChunk, stream);
      count<<<1056, kThreads, 0, stream>>>(values, bins);
      blend<<<kBlocks, kThreads, 0, stream>>>(values, state);
      add_up<<<kSums, kThreads, 0, stream>>>(state, sums + kSums * chunk);
      center<<<kBlocks, kThreads, 0, stream>>>(state, sums + kSums * chunk);
    }
    CHECK(cudaMemcpyAsync(sums_read, sums, kChunks * kSums * sizeof(float), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int chunk = 0; chunk < kChunks; ++chunk)
      for (int i = 0; i < kChanged; ++i) {
        const uint32_t draw = mixed(iteration * kChanged + i);
        const float sum = sums_read[kSums * chunk + i % kSums];
        table[kChunk * chunk + draw % kChunk] = number(draw) * (sum > 0 ? 1 : 0.5f);
      }
  }
  fingerprint.add(state.get(), kChunk, stream);
  fingerprint.add(bins.get(), kBins, stream);
  return finish(fingerprint.sum());
}
