// Frames of a signal arrive in two page-locked buffers that take turns. The host makes the next frames as
// soon as the event says that a buffer has been sent. Copies have a stream of their own; the kernels in the
// other stream smooth the frames, normalize them and measure their frequencies.
//
// Difficult: the host overwrites a buffer while kernels of the previous round are running, and copies and
// kernels run in parallel, ordered by events only.
//
// usage: pinned_double_buffer [ROUNDS]    ROUNDS is 10,000 by default; each takes about 2.5 ms
#include "shared.cuh"

namespace {

constexpr int kFrames = 2048;
constexpr int kLength = 1024;  // of a frame
constexpr int kValues = kFrames * kLength;
constexpr int kSmoothings = 6;

/// Lets each frame begin and end softly.
__global__ void weigh(const float* received, float* frames) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  frames[i] = received[i] * sinpif((i % kLength + 0.5f) / kLength);
}

__global__ void smooth(const float* now, float* next) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, at = i % kLength;
  const float left = now[at > 0 ? i - 1 : i], right = now[at < kLength - 1 ? i + 1 : i];
  next[i] = 0.5f * now[i] + 0.25f * (left + right);
}

/// The sum of squares of each frame, one block for each.
__global__ void measure(const float* frames, float* energies) {
  __shared__ float sums[kThreads];
  float sum = 0;
  for (int at = threadIdx.x; at < kLength; at += kThreads) {
    const float value = frames[blockIdx.x * kLength + at];
    sum += value * value;
  }
  sums[threadIdx.x] = sum;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) energies[blockIdx.x] = sums[0];
}

__global__ void normalize(float* frames, const float* energies) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  frames[i] *= rsqrtf(energies[i / kLength] + 1e-6f);
}

/// The power of each frame at as many frequencies as there are threads (Goertzel).
__global__ void frequencies(const float* frames, float* powers) {
  __shared__ float frame[kLength];
  for (int at = threadIdx.x; at < kLength; at += kThreads) frame[at] = frames[blockIdx.x * kLength + at];
  __syncthreads();
  const float turn = 2 * cospif(2.f * threadIdx.x / kLength);
  float last = 0, before = 0;
  for (int at = 0; at < kLength; ++at) {
    const float now = frame[at] + turn * last - before;
    before = last;
    last = now;
  }
  powers[blockIdx.x * kThreads + threadIdx.x] = last * last + before * before - turn * last * before;
}

/// A mean over the frames, in which those of earlier rounds fade.
__global__ void average(const float* powers, float* means) {
  float sum = 0;
  for (int frame = blockIdx.x; frame < kFrames; frame += gridDim.x)
    sum += powers[frame * kThreads + threadIdx.x];
  float& mean = means[blockIdx.x * kThreads + threadIdx.x];
  mean = 0.95f * mean + 0.05f * sum * gridDim.x / kFrames;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 10000;
  constexpr int kBlocks = kValues / kThreads;
  constexpr int kMeans = 32;
  const PinnedArray<float> even(kValues), odd(kValues);
  const DeviceArray<float> received_even(kValues), received_odd(kValues), first(kValues), second(kValues);
  const DeviceArray<float> energies(kFrames), powers(kFrames * kThreads), means(kMeans * kThreads);
  CHECK(cudaMemset(means, 0, kMeans * kThreads * sizeof(float)));
  float* const sources[] = {even, odd};
  float* const targets[] = {received_even, received_odd};
  const Stream work, copies;
  const Event sent[2], used[2];
  Fingerprint fingerprint;
  CHECK(cudaDeviceSynchronize());
  for (int round = 0; round < rounds; ++round) {
    const int turn = round % 2;
    CHECK(cudaEventSynchronize(sent[turn]));
    fill(sources[turn], kValues, round);
    CHECK(cudaStreamWaitEvent(copies, used[turn]));
    CHECK(cudaMemcpyAsync(targets[turn], sources[turn], kValues * sizeof(float), cudaMemcpyHostToDevice,
                          copies));
    CHECK(cudaEventRecord(sent[turn], copies));

    CHECK(cudaStreamWaitEvent(work, sent[turn]));
    weigh<<<kBlocks, kThreads, 0, work>>>(targets[turn], first);
    fingerprint.add(targets[turn], kValues, work);
    CHECK(cudaEventRecord(used[turn], work));
    float *now = first, *next = second;
    for (int i = 0; i < kSmoothings; ++i) {
      smooth<<<kBlocks, kThreads, 0, work>>>(now, next);
      std::swap(now, next);
    }
    measure<<<kFrames, kThreads, 0, work>>>(now, energies);
    normalize<<<kBlocks, kThreads, 0, work>>>(now, energies);
    frequencies<<<kFrames, kThreads, 0, work>>>(now, powers);
    average<<<kMeans, kThreads, 0, work>>>(powers, means);
    fingerprint.add(now, kValues, work);
    fingerprint.add(means.get(), kMeans * kThreads, work);
  }
  return finish(fingerprint.sum());
}
