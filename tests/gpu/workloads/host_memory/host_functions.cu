// Host functions between kernels, in the same stream (cudaLaunchHostFunc). Each of them reads the data that a
// copy has just brought, works for about 0.1 ms, and writes the values that the next copy sends. The main
// thread only launches.
//
// Difficult: another thread writes the data that a copy sends after the copy was issued; the device is idle
// during the function.
//
// usage: host_functions [ITERATIONS]    ITERATIONS is 45,000 by default; each takes about 0.5 ms
#include <cstring>

#include "shared.cuh"

namespace {

constexpr int kSide = 2048;
constexpr int kField = kSide * kSide;
constexpr int kSources = 1024;
constexpr int kDiffusions = 4;
constexpr int kAhead = 8;  // iterations that are launched before the host waits

/// Adds each source to a stretch of the field.
__global__ void push(float* field, const float* sources) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  field[i] = 0.98f * field[i] + sources[i / (kField / kSources)];
}

__global__ void diffuse(const float* now, float* next) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % kSide, y = i / kSide;
  const float left = now[x > 0 ? i - 1 : i], right = now[x < kSide - 1 ? i + 1 : i];
  const float above = now[y > 0 ? i - kSide : i], below = now[y < kSide - 1 ? i + kSide : i];
  next[i] = now[i] + 0.2f * (left + right + above + below - 4 * now[i]);
}

/// The mean of each stretch, one block for each.
__global__ void average(const float* field, float* means) {
  __shared__ float sums[kThreads];
  constexpr int kStretch = kField / kSources;
  float sum = 0;
  for (int i = threadIdx.x; i < kStretch; i += kThreads) sum += field[blockIdx.x * kStretch + i];
  sums[threadIdx.x] = sum;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) means[blockIdx.x] = sums[0] / kStretch;
}

/// What the host keeps from one function to the next.
struct Control {
  const float* means;  // read
  float* sources;      // written
  int sweeps;
  uint32_t chain = 1;
};

/// Draws new sources; each depends on all of the means, and on all that was drawn before.
void draw(void* argument) {
  auto& control = *static_cast<Control*>(argument);
  for (int sweep = 0; sweep < control.sweeps; ++sweep)
    for (int i = 0; i < kSources; ++i) {
      uint32_t mean = 0;
      std::memcpy(&mean, &control.means[i], sizeof mean);
      control.chain = mixed(control.chain + mean);
      control.sources[i] = 0.1f * number(control.chain);
    }
}

}  // namespace

int main(int argc, char** argv) {
  const int iterations = argc > 1 ? std::atoi(argv[1]) : 45000;
  constexpr int kBlocks = kField / kThreads;
  constexpr size_t kSent = kSources * sizeof(float);
  const PinnedArray<float> means_read(kSources), sources_drawn(kSources);
  const DeviceArray<float> first(kField), second(kField), means(kSources), sources(kSources);
  CHECK(cudaMemset(first, 0, kField * sizeof(float)));
  std::memset(sources_drawn, 0, kSent);
  Control shorter{means_read, sources_drawn, 12}, longer{means_read, sources_drawn, 36};
  Fingerprint fingerprint;
  CHECK(cudaDeviceSynchronize());
  {
    const Stream stream;
    float *now = first, *next = second;
    for (int iteration = 0; iteration < iterations; ++iteration) {
      for (Control* control : {&shorter, &longer}) {
        average<<<kSources, kThreads, 0, stream>>>(now, means);
        CHECK(cudaMemcpyAsync(means_read, means, kSent, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaLaunchHostFunc(stream, draw, control));
        CHECK(cudaMemcpyAsync(sources, sources_drawn, kSent, cudaMemcpyHostToDevice, stream));
        fingerprint.add(sources.get(), kSources, stream);
        push<<<kBlocks, kThreads, 0, stream>>>(now, sources);
        for (int i = 0; i < kDiffusions; ++i) {
          diffuse<<<kBlocks, kThreads, 0, stream>>>(now, next);
          std::swap(now, next);
        }
      }
      fingerprint.add(now, kField, stream);
      if (iteration % kAhead == kAhead - 1) CHECK(cudaStreamSynchronize(stream));
    }
    CHECK(cudaStreamSynchronize(stream));
  }
  return finish(fingerprint.sum());
}
