// Memory that the program already had is page-locked with cudaHostRegister: a std::vector, which matrices are
// sent from, and memory of aligned_alloc, which results come back to. The host writes between the copies.
//
// Difficult: the memory is not CUDA's own, the vector does not begin at a page, and the host writes one half
// of it while the other half is being sent.
//
// usage: registered [ITERATIONS]    ITERATIONS is 10,000 by default; each takes about 2.5 ms
#include <algorithm>

#include "shared.cuh"

namespace {

constexpr int kSide = 2048;
constexpr int kValues = kSide * kSide;  // 16 MiB
constexpr int kHalf = kValues / 2;
constexpr int kTile = 16;
constexpr int kRounds = 3;

__global__ void transpose(const float* from, float* to) {
  __shared__ float tile[kTile][kTile + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = from[(blockIdx.y * kTile + y) * kSide + blockIdx.x * kTile + x];
  __syncthreads();
  to[(blockIdx.x * kTile + y) * kSide + blockIdx.y * kTile + x] = tile[x][y];
}

/// Divides each row by its largest magnitude, one block for each.
__global__ void scale_rows(float* matrix) {
  __shared__ float largest[kThreads];
  float* row = matrix + blockIdx.x * kSide;
  float most = 1e-6f;
  for (int i = threadIdx.x; i < kSide; i += kThreads) most = fmaxf(most, fabsf(row[i]));
  largest[threadIdx.x] = most;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) largest[threadIdx.x] = fmaxf(largest[threadIdx.x], largest[threadIdx.x + half]);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kSide; i += kThreads) row[i] /= largest[0];
}

/// Running sums of each row, one block for each; each thread has a piece of it.
__global__ void scan_rows(const float* from, float* to) {
  __shared__ float sums[kThreads];
  constexpr int kPiece = kSide / kThreads;
  const int first = blockIdx.x * kSide + threadIdx.x * kPiece;
  float sum = 0;
  for (int i = 0; i < kPiece; ++i) sum += from[first + i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  float before = 0;
  for (int i = 0; i < threadIdx.x; ++i) before += sums[i];
  for (int i = 0; i < kPiece; ++i) to[first + i] = before += from[first + i];
}

/// Keeps a part of what was there, so that earlier matrices count.
__global__ void accumulate(float* kept, const float* matrix) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  kept[i] = 0.75f * kept[i] + tanhf(matrix[i]);
}

}  // namespace

int main(int argc, char** argv) {
  const int iterations = argc > 1 ? std::atoi(argv[1]) : 10000;
  constexpr size_t kBytes = kValues * sizeof(float);
  constexpr int kBlocks = kValues / kThreads;
  const dim3 tile(kTile, kTile), tiles(kSide / kTile, kSide / kTile);
  std::vector<float> matrices(kValues);
  float* const results = static_cast<float*>(std::aligned_alloc(4096, kBytes));
  fill(matrices.data(), kValues, 0);
  std::fill_n(results, kValues, 0.f);
  CHECK(cudaHostRegister(matrices.data(), kBytes, cudaHostRegisterDefault));
  CHECK(cudaHostRegister(results, kBytes, cudaHostRegisterDefault));
  const DeviceArray<float> first(kValues), second(kValues), kept(kValues);
  CHECK(cudaMemset(kept, 0, kBytes));
  Fingerprint fingerprint;
  CHECK(cudaDeviceSynchronize());
  {
    const Stream stream;
    for (int iteration = 0; iteration < iterations; ++iteration) {
      CHECK(cudaMemcpyAsync(first, matrices.data(), kBytes / 2, cudaMemcpyHostToDevice, stream));
      // The second half, while the first is being sent.
      for (int i = iteration % 4; i < kHalf; i += 4)
        matrices[kHalf + i] = number(mixed(i + iteration)) + 0.1f * results[i];
      CHECK(cudaMemcpyAsync(first + kHalf, matrices.data() + kHalf, kBytes / 2, cudaMemcpyHostToDevice,
                            stream));
      fingerprint.add(first.get(), kValues, stream);
      for (int round = 0; round < kRounds; ++round) {
        scale_rows<<<kSide, kThreads, 0, stream>>>(first);
        scan_rows<<<kSide, kThreads, 0, stream>>>(first, second);
        transpose<<<tiles, tile, 0, stream>>>(second, first);
      }
      accumulate<<<kBlocks, kThreads, 0, stream>>>(kept, first);
      CHECK(cudaMemcpyAsync(results, kept, kBytes, cudaMemcpyDeviceToHost, stream));
      CHECK(cudaStreamSynchronize(stream));
      for (int i = iteration % 16; i < kHalf; i += 16) matrices[i] = 0.3f * results[kHalf + i];
    }
  }
  fingerprint.add(kept.get(), kValues);
  const double sum = fingerprint.sum();
  CHECK(cudaHostUnregister(matrices.data()));
  CHECK(cudaHostUnregister(results));
  std::free(results);
  return finish(sum);
}
