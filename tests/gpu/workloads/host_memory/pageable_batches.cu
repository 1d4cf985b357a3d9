// Points arrive in batches from ordinary memory of the host, half of each with cudaMemcpy and half with
// cudaMemcpyAsync. They are clustered (k-means), and the distances of some of them go back to ordinary
// memory.
//
// Difficult: the driver takes the contents through its own page-locked memory, and the host waits in each
// copy. The next batch depends on the distances that came back.
//
// usage: pageable_batches [BATCHES]    BATCHES is 4,000 by default; each takes about 6.5 ms
#include <algorithm>

#include "shared.cuh"

namespace {

constexpr int kPoints = 1536 * kThreads;
constexpr int kDimensions = 8;
constexpr int kValues = kPoints * kDimensions;  // 12 MiB
constexpr int kCenters = 64;
constexpr int kParts = 24;
constexpr int kRounds = 4;
constexpr int kReported = 1 << 16;  // points whose distances the host reads

__global__ void begin(float* centers) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  centers[i] = number(mixed(i));
}

/// Moves the cloud of the points a little, by where the centers are.
__global__ void shift(float* points, const float* centers) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  points[i] += 0.1f * centers[i % (kCenters * kDimensions)];
}

/// Finds the nearest center of each point.
__global__ void assign(const float* points, const float* centers, int* nearest, float* distances) {
  __shared__ float own[kCenters * kDimensions];
  for (int i = threadIdx.x; i < kCenters * kDimensions; i += kThreads) own[i] = centers[i];
  __syncthreads();
  const int point = blockIdx.x * blockDim.x + threadIdx.x;
  float at[kDimensions];
  for (int k = 0; k < kDimensions; ++k) at[k] = points[point * kDimensions + k];
  float least = 1e30f;
  int found = 0;
  for (int center = 0; center < kCenters; ++center) {
    float distance = 0;
    for (int k = 0; k < kDimensions; ++k) {
      const float d = at[k] - own[center * kDimensions + k];
      distance += d * d;
    }
    if (distance < least) {
      least = distance;
      found = center;
    }
  }
  nearest[point] = found;
  distances[point] = least;
}

/// Sums the points of a center (blockIdx.x) in a part of them (blockIdx.y); the order is always the same.
__global__ void add_up(const float* points, const int* nearest, float* sums, int* counts) {
  __shared__ float of_threads[kThreads][kDimensions + 1];
  __shared__ int in_threads[kThreads];
  const int center = blockIdx.x, first = blockIdx.y * (kPoints / kParts);
  float sum[kDimensions] = {};
  int count = 0;
  for (int point = first + threadIdx.x; point < first + kPoints / kParts; point += kThreads) {
    if (nearest[point] != center) continue;
    ++count;
    for (int k = 0; k < kDimensions; ++k) sum[k] += points[point * kDimensions + k];
  }
  in_threads[threadIdx.x] = count;
  for (int k = 0; k < kDimensions; ++k) of_threads[threadIdx.x][k] = sum[k];
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x >= half) continue;
    in_threads[threadIdx.x] += in_threads[threadIdx.x + half];
    for (int k = 0; k < kDimensions; ++k) of_threads[threadIdx.x][k] += of_threads[threadIdx.x + half][k];
  }
  __syncthreads();
  const int at = center * kParts + blockIdx.y;
  if (threadIdx.x < kDimensions) sums[at * kDimensions + threadIdx.x] = of_threads[0][threadIdx.x];
  if (threadIdx.x == 0) counts[at] = in_threads[0];
}

/// Puts each center where its points are, one block with a thread for each of its dimensions.
__global__ void place(float* centers, const float* sums, const int* counts) {
  float sum = 0;
  int count = 0;
  for (int part = 0; part < kParts; ++part) {
    const int at = blockIdx.x * kParts + part;
    sum += sums[at * kDimensions + threadIdx.x];
    count += counts[at];
  }
  float& center = centers[blockIdx.x * kDimensions + threadIdx.x];
  if (count > 0) center = 0.7f * center + 0.3f * sum / count;
}

}  // namespace

int main(int argc, char** argv) {
  const int batches = argc > 1 ? std::atoi(argv[1]) : 4000;
  constexpr int kBlocks = kPoints / kThreads;
  constexpr int kHalf = kValues / 2;
  std::vector<float> batch(kValues), reported(kReported);
  const DeviceArray<float> points(kValues), centers(kCenters * kDimensions), distances(kPoints);
  const DeviceArray<float> sums(kCenters * kParts * kDimensions);
  const DeviceArray<int> nearest(kPoints), counts(kCenters * kParts);
  begin<<<kCenters * kDimensions / kThreads, kThreads>>>(centers);
  Fingerprint fingerprint;
  float farthest = 0;
  for (int i = 0; i < batches; ++i) {
    fill(batch.data(), kValues, i + static_cast<uint32_t>(farthest * 1e6f));
    CHECK(cudaMemcpy(points, batch.data(), kHalf * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(
        cudaMemcpyAsync(points + kHalf, batch.data() + kHalf, kHalf * sizeof(float), cudaMemcpyHostToDevice));
    fingerprint.add(points.get(), kValues);
    shift<<<kValues / kThreads, kThreads>>>(points, centers);
    for (int round = 0; round < kRounds; ++round) {
      assign<<<kBlocks, kThreads>>>(points, centers, nearest, distances);
      add_up<<<dim3(kCenters, kParts), kThreads>>>(points, nearest, sums, counts);
      place<<<kCenters, kDimensions>>>(centers, sums, counts);
    }
    fingerprint.add(distances.get(), kPoints);
    CHECK(cudaMemcpy(reported.data(), distances, kReported * sizeof(float), cudaMemcpyDeviceToHost));
    farthest = 0;
    for (const float distance : reported) farthest = std::max(farthest, distance);
  }
  fingerprint.add(centers.get(), kCenters * kDimensions);
  return finish(fingerprint.sum());
}
