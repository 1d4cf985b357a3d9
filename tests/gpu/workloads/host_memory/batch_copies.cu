// Rows of different lengths, each in page-locked memory of its own, are copied to the device by one call
// (cudaMemcpyBatchAsync). Kernels work on each row and on all of them; a batch of short results is copied
// back.
//
// Difficult: one call sends 32 pieces of 8 to 256 KiB, in no particular order, and the next rows depend on
// the results of another call. Needs CUDA 13.
//
// usage: batch_copies [ITERATIONS]    ITERATIONS is 8,500 by default; each takes about 3 ms
#include <deque>

#include "shared.cuh"

namespace {

constexpr int kRows = 32;
constexpr int kUnit = 2048;                               // lengths are multiples of it
constexpr int kValues = kUnit * kRows * (kRows + 1) / 2;  // of all rows
constexpr int kResults = 256;                             // of a row
constexpr int kSmoothings = 6;

/// Counts a row's values by how large they are; one block.
__global__ void count(const float* row, int length, float* results) {
  __shared__ unsigned counts[kResults];
  counts[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < length; i += blockDim.x)
    atomicAdd(&counts[min(kResults - 1, max(0, static_cast<int>((row[i] + 0.5f) * kResults)))], 1u);
  __syncthreads();
  results[threadIdx.x] = static_cast<float>(counts[threadIdx.x]) / length;
}

/// Adds what has been kept of the rows before.
__global__ void blend(const float* rows, float* kept) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  kept[i] = 0.6f * kept[i] + 0.4f * rows[i];
}

__global__ void smooth(const float* now, float* next) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float left = now[i > 0 ? i - 1 : i], right = now[i < kValues - 1 ? i + 1 : i];
  next[i] = 0.4f * now[i] + 0.3f * (left + right);
}

/// Compares each row's counts with those of all rows: one block for each row.
__global__ void compare(const float* results, float* nearness) {
  __shared__ float sums[kThreads];
  for (int other = 0; other < kRows; ++other) {
    const float d = results[blockIdx.x * kResults + threadIdx.x] - results[other * kResults + threadIdx.x];
    sums[threadIdx.x] = d * d;
    for (int half = kThreads / 2; half > 0; half /= 2) {
      __syncthreads();
      if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x == 0) nearness[blockIdx.x * kRows + other] = 1 / (1 + sums[0]);
    __syncthreads();
  }
}

void copy(std::vector<void*>& targets, std::vector<const void*>& sources, std::vector<size_t>& sizes,
          cudaStream_t stream) {
  cudaMemcpyAttributes attributes{};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  size_t first = 0;
  CHECK(cudaMemcpyBatchAsync(targets.data(), sources.data(), sizes.data(), targets.size(), &attributes,
                             &first, 1, stream));
}

}  // namespace

int main(int argc, char** argv) {
  const int iterations = argc > 1 ? std::atoi(argv[1]) : 8500;
  static_assert(kResults == kThreads);
  constexpr int kBlocks = kValues / kThreads;
  const DeviceArray<float> rows(kValues), kept(kValues), smoothed(kValues);
  const DeviceArray<float> results(kRows * kResults), nearness(kRows * kRows);
  CHECK(cudaMemset(kept, 0, kValues * sizeof(float)));
  std::deque<PinnedArray<float>> of_host, results_of_host;
  std::vector<int> lengths, places;
  std::vector<void*> targets, result_targets;
  std::vector<const void*> sources, result_sources;
  std::vector<size_t> sizes, result_sizes;
  for (int row = 0, place = 0; row < kRows; ++row) {
    lengths.push_back((row * 11 % kRows + 1) * kUnit);
    places.push_back(place);
    of_host.emplace_back(lengths[row]);
    targets.push_back(rows + place);
    sources.push_back(of_host[row]);
    sizes.push_back(lengths[row] * sizeof(float));
    results_of_host.emplace_back(kRows);
    result_targets.push_back(results_of_host[row]);
    result_sources.push_back(nearness + row * kRows);
    result_sizes.push_back(kRows * sizeof(float));
    for (int i = 0; i < kRows; ++i) results_of_host[row][i] = 1;
    place += lengths[row];
  }
  Fingerprint fingerprint;
  CHECK(cudaDeviceSynchronize());
  {
    const Stream stream;
    for (int iteration = 0; iteration < iterations; ++iteration) {
      for (int row = 0; row < kRows; ++row) {
        const float last = results_of_host[row][(row + iteration) % kRows];
        fill(of_host[row], lengths[row], iteration * kRows + row + static_cast<uint32_t>(last * 1e6f));
      }
      copy(targets, sources, sizes, stream);
      fingerprint.add(rows.get(), kValues, stream);
      blend<<<kBlocks, kThreads, 0, stream>>>(rows, kept);
      float *now = kept, *next = smoothed;
      for (int i = 0; i < kSmoothings; ++i) {
        smooth<<<kBlocks, kThreads, 0, stream>>>(now, next);
        std::swap(now, next);
      }
      for (int row = 0; row < kRows; ++row)
        count<<<1, kThreads, 0, stream>>>(now + places[row], lengths[row], results + row * kResults);
      compare<<<kRows, kThreads, 0, stream>>>(results, nearness);
      fingerprint.add(nearness.get(), kRows * kRows, stream);
      copy(result_targets, result_sources, result_sizes, stream);
      CHECK(cudaStreamSynchronize(stream));
    }
  }
  return finish(fingerprint.sum());
}
