// An optimizer whose schedule is kept by the host: in each step it sends a learning rate and the step's
// number from variables on its stack, and a few more values from page-locked memory.
//
// Difficult: the copies are tiny (4 to 64 bytes), some come from variables that are gone when the kernels
// run, and every kernel after them depends on them.
//
// usage: value_each_step [STEPS]    STEPS is 48,000 by default; each takes about 0.5 ms
#include <cmath>

#include "shared.cuh"

namespace {

constexpr int kGroups = 4;
constexpr int kWeights = 1 << 23;  // of a group
constexpr int kPartial = 1024;
constexpr int kSchedules = 8;

struct Schedule {
  float first = 0, second = 0;  // how much is kept of the moments
  float first_bias = 0, second_bias = 0;
  float decay = 0, clipped_at = 0, noise = 0;
  uint32_t seed = 0;
  float of_group[8] = {};
};
static_assert(sizeof(Schedule) == 64);

__global__ void begin(float* weights, uint32_t seed) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  weights[i] = number(mixed(i + seed));
}

/// The gradient of a function with many minima, with noise that depends on the step.
__global__ void differentiate(const float* weights, float* gradients, const Schedule* schedule,
                              const int* step) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  const float w = weights[i], noise = schedule->noise * number(mixed(i ^ schedule->seed) + *step);
  gradients[i] = 0.2f * w + sinpif(4 * w) + noise;
}

/// Sums of squares, one for each block.
__global__ void add_squares(const float* gradients, float* partial) {
  __shared__ float sums[kThreads];
  float sum = 0;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < kWeights; i += kPartial * kThreads)
    sum += gradients[i] * gradients[i];
  sums[threadIdx.x] = sum;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = sums[0];
}

/// What the gradients are multiplied by, so that they are not too large; one block.
__global__ void limit(const float* partial, const Schedule* schedule, float* factor) {
  __shared__ float sums[kPartial];
  sums[threadIdx.x] = partial[threadIdx.x];
  for (int half = kPartial / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) *factor = fminf(1.f, schedule->clipped_at * rsqrtf(sums[0] / kWeights + 1e-12f));
}

/// A step of Adam.
__global__ void adapt(float* weights, const float* gradients, float* first, float* second,
                      const Schedule* schedule, const float* rate, const float* factor, int group) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float gradient = gradients[i] * *factor + schedule->decay * weights[i];
  const float m = first[i] = schedule->first * first[i] + (1 - schedule->first) * gradient;
  const float v = second[i] = schedule->second * second[i] + (1 - schedule->second) * gradient * gradient;
  weights[i] -= *rate * schedule->of_group[group] * (m * schedule->first_bias) /
                (sqrtf(v * schedule->second_bias) + 1e-6f);
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 48000;
  constexpr int kBlocks = kWeights / kThreads;
  constexpr size_t kAll = size_t{kGroups} * kWeights;
  const PinnedArray<Schedule> schedules(kSchedules);
  const DeviceArray<float> weights(kAll), gradients(kAll), first(kAll), second(kAll);
  const DeviceArray<float> partial(kPartial), factor(1), rate(1);
  const DeviceArray<Schedule> schedule(1);
  const DeviceArray<int> number_of_step(1);
  CHECK(cudaMemset(first, 0, kAll * sizeof(float)));
  CHECK(cudaMemset(second, 0, kAll * sizeof(float)));
  for (int group = 0; group < kGroups; ++group)
    begin<<<kBlocks, kThreads>>>(weights + size_t{kWeights} * group, group);
  Fingerprint fingerprint;
  CHECK(cudaDeviceSynchronize());
  const Stream stream;
  const Event sent[kSchedules];
  for (int step = 1; step <= steps; ++step) {
    const float now = 1e-3f * (1 + std::cos(step * 0.01f)) / (1 + step * 1e-3f);
    CHECK(cudaMemcpyAsync(rate, &now, sizeof now, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyAsync(number_of_step, &step, sizeof step, cudaMemcpyHostToDevice, stream));
    const int turn = step % kSchedules;
    CHECK(cudaEventSynchronize(sent[turn]));
    Schedule& next = schedules[turn];
    next = {
        .first = 0.9f, .second = 0.99f, .decay = 1e-4f, .clipped_at = 0.5f, .noise = 1.f / (step % 100 + 1)};
    next.first_bias = 1 / (1 - std::pow(next.first, static_cast<float>(step)));
    next.second_bias = 1 / (1 - std::pow(next.second, static_cast<float>(step)));
    next.seed = mixed(step);
    for (int group = 0; group < kGroups; ++group) next.of_group[group] = 1 + 0.1f * ((step + group) % 5);
    CHECK(cudaMemcpyAsync(schedule, &next, sizeof next, cudaMemcpyHostToDevice, stream));
    CHECK(cudaEventRecord(sent[turn], stream));
    for (int group = 0; group < kGroups; ++group) {
      const size_t at = size_t{kWeights} * group;
      differentiate<<<kBlocks, kThreads, 0, stream>>>(weights + at, gradients + at, schedule, number_of_step);
      add_squares<<<kPartial, kThreads, 0, stream>>>(gradients + at, partial);
      limit<<<1, kPartial, 0, stream>>>(partial, schedule, factor);
      adapt<<<kBlocks, kThreads, 0, stream>>>(weights + at, gradients + at, first + at, second + at, schedule,
                                              rate, factor, group);
    }
    fingerprint.add(weights + size_t{kWeights} * (step % kGroups), kWeights, stream);
  }
  return finish(fingerprint.sum());
}
