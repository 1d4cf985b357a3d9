// Managed memory that the host and kernels share: samples, a table and totals. The host changes a few samples
// and entries between the steps and reads the totals; kernels read all and write some. ADVICE says what the
// program tells CUDA about the memory:
//
//   none              no advice
//   read-mostly       the samples and the table are mostly read
//   preferred-host    the samples and the table should stay in host memory
//   preferred-device  the samples and the table should stay on the device
//   accessed-by       the device should always have access to all of the memory
//   prefetch          no advice, but the samples and the table are prefetched to the device before the
//                     kernels, and the totals to the host afterwards
//   variable          no advice; the memory is a __managed__ variable instead of an allocation
//
// Difficult: contents move without a copy, when they are touched. The checksum is the same with every advice.
// Needs CUDA 13.
//
// usage: managed_advice [ADVICE [STEPS]]    defaults: none, 7000; each step takes about 3.5 ms
#include <string>

#include "shared.cuh"

namespace {

constexpr int kSide = 4096;
constexpr int kSamples = kSide * kSide;  // 64 MiB
constexpr int kTable = 1 << 20;
constexpr int kTotals = 1024;
constexpr int kAll = kSamples + kTable + kTotals;
constexpr int kStretches = 16, kStretch = 1024;  // of samples that the host changes
constexpr int kEntries = 256;                    // of the table that it changes
constexpr int kAnswered = 1 << 16;               // samples that the device changes
constexpr int kDiffusions = 4;

__managed__ float variable[kAll];

__global__ void add_samples(float* field, const float* samples) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  field[i] = 0.8f * field[i] + samples[i];
}

__global__ void look_up(float* field, const float* table, uint32_t seed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  field[i] += 0.1f * table[mixed(i / 32 ^ seed) % (kTable / 32) * 32 + i % 32];
}

__global__ void diffuse(const float* now, float* next) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % kSide, y = i / kSide;
  const float left = now[x > 0 ? i - 1 : i], right = now[x < kSide - 1 ? i + 1 : i];
  const float above = now[y > 0 ? i - kSide : i], below = now[y < kSide - 1 ? i + kSide : i];
  next[i] = now[i] + 0.2f * (left + right + above + below - 4 * now[i]);
}

/// Lets some of the samples follow the field.
__global__ void answer(const float* field, float* samples) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  samples[i] = 0.5f * samples[i] + 0.1f * field[i];
}

/// A sum for each block.
__global__ void add_up(const float* field, float* totals) {
  __shared__ float sums[kThreads];
  float sum = 0;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < kSamples; i += kTotals * kThreads) sum += field[i];
  sums[threadIdx.x] = sum;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) totals[blockIdx.x] = sums[0];
}

int unknown(const std::string& advice) {
  std::fprintf(stderr, "managed_advice: there is no advice '%s'\n", advice.c_str());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string advice = argc > 1 ? argv[1] : "none";
  const int steps = argc > 2 ? std::atoi(argv[2]) : 7000;
  constexpr int kBlocks = kSamples / kThreads;
  constexpr size_t kRead = (kSamples + kTable) * sizeof(float);
  cudaMemLocation device{}, host{};
  device.type = cudaMemLocationTypeDevice;
  CHECK(cudaGetDevice(&device.id));
  host.type = cudaMemLocationTypeHost;

  float* shared = variable;
  if (advice != "variable") CHECK(cudaMallocManaged(&shared, kAll * sizeof(float)));
  float *samples = shared, *table = shared + kSamples, *totals = table + kTable;
  if (advice == "read-mostly")
    CHECK(cudaMemAdvise(shared, kRead, cudaMemAdviseSetReadMostly, device));
  else if (advice == "preferred-host")
    CHECK(cudaMemAdvise(shared, kRead, cudaMemAdviseSetPreferredLocation, host));
  else if (advice == "preferred-device")
    CHECK(cudaMemAdvise(shared, kRead, cudaMemAdviseSetPreferredLocation, device));
  else if (advice == "accessed-by")
    CHECK(cudaMemAdvise(shared, kAll * sizeof(float), cudaMemAdviseSetAccessedBy, device));
  else if (advice != "none" && advice != "prefetch" && advice != "variable")
    return unknown(advice);

  fill(shared, kSamples + kTable, 1);
  const DeviceArray<float> first(kSamples), second(kSamples);
  CHECK(cudaMemset(first, 0, kSamples * sizeof(float)));
  Fingerprint fingerprint;
  float *now = first, *next = second, total = 0;
  for (int step = 0; step < steps; ++step) {
    if (advice == "prefetch") CHECK(cudaMemPrefetchAsync(shared, kRead, device, 0));
    fingerprint.add(shared, kSamples + kTable);
    add_samples<<<kBlocks, kThreads>>>(now, samples);
    look_up<<<kBlocks, kThreads>>>(now, table, step);
    for (int i = 0; i < kDiffusions; ++i) {
      diffuse<<<kBlocks, kThreads>>>(now, next);
      std::swap(now, next);
    }
    const int answered = mixed(step) % (kSamples / kAnswered) * kAnswered;
    answer<<<kAnswered / kThreads, kThreads>>>(now + answered, samples + answered);
    add_up<<<kTotals, kThreads>>>(now, totals);
    fingerprint.add(now, kSamples);
    if (advice == "prefetch") CHECK(cudaMemPrefetchAsync(totals, kTotals * sizeof(float), host, 0));
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < kTotals; ++i) total = 0.99f * total + totals[i] / kSamples;
    for (int i = 0; i < kStretches; ++i) {
      float* stretch = samples + mixed(step * kStretches + i) % (kSamples / kStretch) * kStretch;
      for (int k = 0; k < kStretch; ++k) stretch[k] = 0.5f * stretch[k] + number(mixed(step + k));
    }
    for (int i = 0; i < kEntries; ++i)
      table[mixed(step) % (kTable - kEntries) + i] = number(mixed(i)) + total;
  }
  const double sum = fingerprint.sum();
  if (advice != "variable") CHECK(cudaFree(shared));
  return finish(sum);
}
