// 16,384 bodies that attract each other, all pairs, leapfrog. The host issues step after step and never
// waits.
//
// usage: bodies [ITERATIONS]
#include "program.cuh"

namespace {

constexpr int kBodies = 16384;
constexpr float kStep = 1e-4f, kSoftening = 1e-2f;

__global__ void drift(float4* bodies, const float3* speeds) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  bodies[i].x += 0.5f * kStep * speeds[i].x;
  bodies[i].y += 0.5f * kStep * speeds[i].y;
  bodies[i].z += 0.5f * kStep * speeds[i].z;
}

__global__ void attract(const float4* __restrict__ bodies, float3* __restrict__ pulls) {
  __shared__ float4 tile[kThreads];
  const float4 own = bodies[blockIdx.x * kThreads + threadIdx.x];
  float3 pull{0, 0, 0};
  for (int begin = 0; begin < kBodies; begin += kThreads) {
    __syncthreads();
    tile[threadIdx.x] = bodies[begin + threadIdx.x];
    __syncthreads();
#pragma unroll 16
    for (int k = 0; k < kThreads; ++k) {
      const float x = tile[k].x - own.x, y = tile[k].y - own.y, z = tile[k].z - own.z;
      const float inverse = rsqrtf(x * x + y * y + z * z + kSoftening);
      const float strength = tile[k].w * inverse * inverse * inverse;
      pull.x += strength * x;
      pull.y += strength * y;
      pull.z += strength * z;
    }
  }
  pulls[blockIdx.x * kThreads + threadIdx.x] = pull;
}

__global__ void kick(float3* speeds, const float3* pulls) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  speeds[i].x += kStep * pulls[i].x;
  speeds[i].y += kStep * pulls[i].y;
  speeds[i].z += kStep * pulls[i].z;
}

/// A sum a block, in a fixed order.
__global__ void energies(const float4* bodies, const float3* speeds, float* sums) {
  __shared__ float part[kThreads];
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const float3 speed = speeds[i];
  part[threadIdx.x] = 0.5f * bodies[i].w * (speed.x * speed.x + speed.y * speed.y + speed.z * speed.z);
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

__global__ void add_up(const float* sums, int count, float* total) {
  float sum = 0;
  for (int i = threadIdx.x; i < count; i += 32) sum += sums[i];
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(~0u, sum, lanes);
  if (threadIdx.x == 0) *total = sum;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<float4> places(kBodies);
  for (uint32_t i = 0; i < kBodies; ++i)
    places[i] = {drawn(3 * i, 1), drawn(3 * i + 1, 1), drawn(3 * i + 2, 1), 1.0f / kBodies};
  float4* bodies = on_device(places);
  auto* speeds = zeros<float3>(kBodies);
  auto* pulls = zeros<float3>(kBodies);
  auto* sums = zeros<float>(kBodies / kThreads);
  auto* total = zeros<float>(1);
  constexpr int kBlocks = kBodies / kThreads;
  for (int i = 0; i < iterations(argc, argv); ++i) {
    drift<<<kBlocks, kThreads>>>(bodies, speeds);
    attract<<<kBlocks, kThreads>>>(bodies, pulls);
    kick<<<kBlocks, kThreads>>>(speeds, pulls);
    drift<<<kBlocks, kThreads>>>(bodies, speeds);
    energies<<<kBlocks, kThreads>>>(bodies, speeds, sums);
    add_up<<<1, 32>>>(sums, kBlocks, total);
    CHECK(cudaGetLastError());
  }
  return ended_with(first_of(total));
}
