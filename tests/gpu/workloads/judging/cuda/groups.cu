// Launches whose blocks work together: a cooperative kernel that relaxes a grid in 12 sweeps with the whole
// grid waiting between them, and kernels in clusters of 8 blocks that count values in shared memory spread
// over the cluster, and normalise rows that no single block holds.
//
// usage: groups [ITERATIONS]
#include <cooperative_groups.h>

#include "program.cuh"

namespace cg = cooperative_groups;

namespace {

constexpr int kSide = 2048, kAll = kSide * kSide, kSweeps = 12;
constexpr int kCluster = 8, kBins = 4096, kOwnBins = kBins / kCluster;
constexpr int kRows = 128, kColumns = kAll / kRows, kOwnColumns = kColumns / kCluster;

__global__ void relax(float* values, float* other, const float* source) {
  const cg::grid_group grid = cg::this_grid();
  for (int s = 0; s < kSweeps; ++s) {
    for (int i = static_cast<int>(grid.thread_rank()); i < kAll; i += static_cast<int>(grid.size())) {
      const int x = i % kSide, y = i / kSide;
      const float around = values[y * kSide + (x + 1) % kSide] + values[y * kSide + (x + kSide - 1) % kSide] +
                           values[(y + 1) % kSide * kSide + x] + values[(y + kSide - 1) % kSide * kSide + x];
      other[i] = 0.2f * around + 0.2f * source[i];
    }
    grid.sync();
    float* const last = values;
    values = other;
    other = last;
  }
}

/// Each block of a cluster holds a part of the bins.
__global__ void count(const float* values, unsigned* counts) {
  __shared__ unsigned own[kOwnBins];
  const cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < kOwnBins; i += kThreads) own[i] = 0;
  cluster.sync();
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < kAll; i += gridDim.x * kThreads) {
    const int bin = min(max(static_cast<int>((values[i] * 0.25f + 0.5f) * kBins), 0), kBins - 1);
    atomicAdd(cluster.map_shared_rank(own, bin / kOwnBins) + bin % kOwnBins, 1);
  }
  cluster.sync();
  for (int i = threadIdx.x; i < kOwnBins; i += kThreads)
    atomicAdd(counts + cluster.block_rank() * kOwnBins + i, own[i]);
}

/// One cluster per row: each block has an eighth of the row, and reads the sums of the other blocks.
__global__ void normalise(const float* values, float* normal) {
  __shared__ float row[kOwnColumns], sum;
  const cg::cluster_group cluster = cg::this_cluster();
  const int begin = blockIdx.x * kOwnColumns;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  float own = 0;
  for (int i = threadIdx.x; i < kOwnColumns; i += kThreads) {
    row[i] = values[begin + i];
    own += row[i] * row[i];
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) own += __shfl_down_sync(~0u, own, lanes);
  if (threadIdx.x % 32 == 0) atomicAdd(&sum, own);
  cluster.sync();
  float total = 0;
  for (int block = 0; block < kCluster; ++block) total += *cluster.map_shared_rank(&sum, block);
  const float scale = rsqrtf(total / kColumns + 1e-6f);
  for (int i = threadIdx.x; i < kOwnColumns; i += kThreads) normal[begin + i] = scale * row[i];
  cluster.sync();  // no block may end while others read its sum
}

template <typename... Parameters, typename... Arguments>
void launch_in_clusters(void (*kernel)(Parameters...), int grid, Arguments... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {kCluster, 1, 1};
  cudaLaunchConfig_t launch{};
  launch.gridDim = dim3(grid);
  launch.blockDim = dim3(kThreads);
  launch.attrs = &attribute;
  launch.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&launch, kernel, Parameters(arguments)...));
}

int blocks_at_once() {
  int processors = 0, each = 0;
  CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, relax, kThreads, 0));
  return processors * each;
}

}  // namespace

int main(int argc, char** argv) {
  float *values = random_values(kAll, -1, 1, 1), *other = zeros<float>(kAll),
        *source = random_values(kAll, -1, 1, 2);
  float* normal = zeros<float>(kAll);
  auto* counts = zeros<unsigned>(kBins);
  const int grid = blocks_at_once();
  void* arguments[] = {&values, &other, &source};
  for (int i = 0; i < iterations(argc, argv); ++i) {
    CHECK(cudaLaunchCooperativeKernel(relax, dim3(grid), dim3(kThreads), arguments, size_t{0}, nullptr));
    launch_in_clusters(normalise, kRows * kCluster, values, normal);
    CHECK(cudaMemsetAsync(counts, 0, kBins * sizeof(unsigned)));
    launch_in_clusters(count, 16 * kCluster, values, counts);
    launch_in_clusters(normalise, kRows * kCluster, normal, source);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGetLastError());
  }
  return ended_with(first_of(normal) + first_of(counts + kBins / 2));
}
