// Prices of options by random paths: cuRAND generates 64 steps of 131,072 paths, from which three payoffs per
// path are computed and added up. Means are kept over all iterations and read by the host.
//
// usage: monte_carlo [ITERATIONS]
#include <curand.h>

#include "program.cuh"

namespace {

constexpr int kPaths = 1 << 17, kSteps = 64, kPayoffs = 3;
constexpr float kStart = 100, kStrike = 105, kBarrier = 140, kRate = 0.03f, kSpread = 0.25f, kYears = 1;

__global__ void follow(const float* __restrict__ draws, float* __restrict__ payoffs) {
  const int path = blockIdx.x * kThreads + threadIdx.x;
  const float step = kYears / kSteps;
  float price = kStart, sum = 0;
  bool out = false;
  for (int s = 0; s < kSteps; ++s) {
    price *=
        __expf((kRate - 0.5f * kSpread * kSpread) * step + kSpread * sqrtf(step) * draws[s * kPaths + path]);
    sum += price;
    out |= price > kBarrier;
  }
  const float today = __expf(-kRate * kYears);
  payoffs[path] = today * fmaxf(price - kStrike, 0.0f);
  payoffs[kPaths + path] = today * fmaxf(sum / kSteps - kStrike, 0.0f);
  payoffs[2 * kPaths + path] = out ? 0.0f : payoffs[path];
}

/// Pairs of draws with opposite signs have a mean of zero.
__global__ void oppose(float* draws) {
  const int64_t i = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  const int64_t row = i / (kPaths / 2), column = i % (kPaths / 2);
  draws[row * kPaths + kPaths / 2 + column] = -draws[row * kPaths + column];
}

__global__ void add_up(const float* payoffs, double* sums) {
  double sum = 0;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < kPaths; i += gridDim.x * kThreads)
    sum += payoffs[blockIdx.y * kPaths + i];
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(~0u, sum, lanes);
  if (threadIdx.x % 32 == 0) atomicAdd(sums + blockIdx.y, sum);
}

__global__ void keep(const double* sums, double* means, unsigned* done) {
  const double share = 1.0 / (*done + 1);
  means[threadIdx.x] += share * (sums[threadIdx.x] / kPaths - means[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) ++*done;
}

}  // namespace

int main(int argc, char** argv) {
  curandGenerator_t generator{};
  CHECK(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_XORWOW));
  CHECK(curandSetPseudoRandomGeneratorSeed(generator, 1234));
  auto* draws = zeros<float>(int64_t{kPaths} * kSteps);
  auto* payoffs = zeros<float>(kPayoffs * kPaths);
  auto* sums = zeros<double>(kPayoffs);
  auto* means = zeros<double>(kPayoffs);
  auto* done = zeros<unsigned>(1);
  double prices[kPayoffs]{};
  for (int i = 0; i < iterations(argc, argv); ++i) {
    CHECK(curandGenerateNormal(generator, draws, size_t{kPaths} * kSteps, 0, 1));
    oppose<<<blocks(int64_t{kPaths} * kSteps / 2), kThreads>>>(draws);
    follow<<<kPaths / kThreads, kThreads>>>(draws, payoffs);
    CHECK(cudaMemsetAsync(sums, 0, kPayoffs * sizeof(double)));
    add_up<<<dim3(64, kPayoffs), kThreads>>>(payoffs, sums);
    keep<<<1, kPayoffs>>>(sums, means, done);
    CHECK(cudaMemcpy(prices, means, sizeof prices, cudaMemcpyDeviceToHost));
    CHECK(cudaGetLastError());
  }
  return ended_with(prices[0] + prices[1] + prices[2]);
}
