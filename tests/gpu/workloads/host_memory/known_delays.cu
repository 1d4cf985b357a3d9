// A loop whose parts have known lengths: kernels that run for a given time, copies of a given size from
// pageable and from page-locked memory, and work of the host for a given time while the device is idle. The
// program measures all parts with its own clocks.
//
// An iteration has two copies from pageable memory (cudaMemcpy, cudaMemcpyAsync), 6 kernels, a delay after
// the host has waited, a copy from page-locked memory, 6 kernels, and a delay after the host has waited.
//
// Before its checksum it prints one line of JSON. Times are medians over the iterations, in microseconds:
//   host_delay_us       sum of both delays (host_delay_asked_us: the requested sum)
//   kernel_us           all 12 kernels, by events around each six of them, with the gaps between kernels
//                       (kernel_asked_us: 12 times KERNEL_US, which should be at least 50)
//   iteration_us        from the beginning of an iteration to that of the next one
//   pageable_call_us    time of the host within a copy from pageable memory, mean of the two
//   pinned_transfer_us  the copy from page-locked memory, by events
//   pageable_bytes, pinned_bytes    bytes that one such copy sends
//
// usage: known_delays [ITERATIONS [HOST_DELAY_US [KERNEL_US]]]      times of one delay and one kernel;
// defaults: 6000 500 100
#include <algorithm>
#include <chrono>

#include "shared.cuh"

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPageable = 1 << 20;  // words
constexpr int kPinned = 1 << 22;
constexpr int kKernels = 6;
constexpr int kBlocks = 132;
constexpr int kStates = kBlocks * kThreads;
constexpr int kChanged = 64;  // words that the host changes in each iteration

__device__ unsigned long long nanoseconds() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

/// Each block ends `duration` nanoseconds after its begin.
__device__ void wait(unsigned long long begin, unsigned long long duration) {
  while (nanoseconds() - begin < duration) {
  }
}

/// Reads all words.
__global__ void gather(const uint32_t* words, int count, uint32_t* states, unsigned long long duration) {
  const unsigned long long begin = nanoseconds();
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t state = states[thread];
  for (int i = thread; i < count; i += kStates) state = mixed(state + words[i]);
  states[thread] = state;
  wait(begin, duration);
}

/// Mixes what the threads of a block have.
__global__ void exchange(uint32_t* states, unsigned long long duration) {
  const unsigned long long begin = nanoseconds();
  __shared__ uint32_t own[kThreads];
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  own[threadIdx.x] = states[thread];
  __syncthreads();
  states[thread] = mixed(own[threadIdx.x] + own[(threadIdx.x + 1) % kThreads]);
  wait(begin, duration);
}

/// Mixes what the blocks have.
__global__ void pass_on(const uint32_t* states, uint32_t* next, unsigned long long duration) {
  const unsigned long long begin = nanoseconds();
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  next[thread] = mixed(states[thread] ^ states[(thread + kThreads) % kStates]);
  wait(begin, duration);
}

double microseconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::micro>(to - from).count();
}

/// Returns the time for which the host worked.
double work(double length) {
  const auto begin = Clock::now();
  while (true) {
    const double passed = microseconds(begin, Clock::now());
    if (passed >= length) return passed;
  }
}

double between(cudaEvent_t from, cudaEvent_t to) {
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, from, to));
  return 1e3 * milliseconds;
}

double median(std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

int main(int argc, char** argv) {
  const int iterations = argc > 1 ? std::atoi(argv[1]) : 6000;
  const double delay = argc > 2 ? std::atof(argv[2]) : 500, length = argc > 3 ? std::atof(argv[3]) : 100;
  const auto duration = static_cast<unsigned long long>(1e3 * length);
  constexpr size_t kPageableBytes = kPageable * sizeof(uint32_t), kPinnedBytes = kPinned * sizeof(uint32_t);
  std::vector<uint32_t> ordinary(2 * kPageable);
  const PinnedArray<uint32_t> pinned(kPinned);
  for (int i = 0; i < 2 * kPageable; ++i) ordinary[i] = mixed(i);
  for (int i = 0; i < kPinned; ++i) pinned[i] = mixed(~i);
  const DeviceArray<uint32_t> from_ordinary(2 * kPageable), from_pinned(kPinned), first(kStates),
      second(kStates);
  CHECK(cudaMemset(first, 0, kStates * sizeof(uint32_t)));
  CHECK(cudaDeviceSynchronize());
  const Event begun[2] = {Event(cudaEventDefault), Event(cudaEventDefault)};
  const Event ended[2] = {Event(cudaEventDefault), Event(cudaEventDefault)};
  const Event sending(cudaEventDefault), sent(cudaEventDefault);
  uint32_t *states = first, *next = second;

  const auto run_kernels = [&](const uint32_t* words, int count, int half) {
    CHECK(cudaEventRecord(begun[half]));
    for (int i = 0; i < kKernels / 3; ++i) {
      gather<<<kBlocks, kThreads>>>(words, count, states, duration);
      exchange<<<kBlocks, kThreads>>>(states, duration);
      pass_on<<<kBlocks, kThreads>>>(states, next, duration);
      std::swap(states, next);
    }
    CHECK(cudaEventRecord(ended[half]));
    CHECK(cudaDeviceSynchronize());
  };

  std::vector<double> delays, kernels, wholes, calls, transfers;
  for (auto* times : {&delays, &kernels, &wholes, &calls, &transfers}) times->reserve(iterations);
  auto begin = Clock::now();
  for (int iteration = 0; iteration < iterations; ++iteration) {
    for (int i = 0; i < kChanged; ++i) {
      ordinary[mixed(iteration + i) % (2 * kPageable)] += i + 1;
      pinned[mixed(iteration - i) % kPinned] += i + 1;
    }
    const auto calling = Clock::now();
    CHECK(cudaMemcpy(from_ordinary, ordinary.data(), kPageableBytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyAsync(from_ordinary + kPageable, ordinary.data() + kPageable, kPageableBytes,
                          cudaMemcpyHostToDevice));
    calls.push_back(microseconds(calling, Clock::now()) / 2);
    run_kernels(from_ordinary, 2 * kPageable, 0);
    double worked = work(delay);

    CHECK(cudaEventRecord(sending));
    CHECK(cudaMemcpyAsync(from_pinned, pinned, kPinnedBytes, cudaMemcpyHostToDevice));
    CHECK(cudaEventRecord(sent));
    run_kernels(from_pinned, kPinned, 1);
    worked += work(delay);

    delays.push_back(worked);
    transfers.push_back(between(sending, sent));
    kernels.push_back(between(begun[0], ended[0]) + between(begun[1], ended[1]));
    const auto end = Clock::now();
    wholes.push_back(microseconds(begin, end));
    begin = end;
  }
  std::printf(
      "{\"iterations\": %d, \"host_delay_us\": %.3f, \"host_delay_asked_us\": %.3f, \"kernel_us\": %.3f, "
      "\"kernel_asked_us\": %.3f, \"iteration_us\": %.3f, \"pageable_call_us\": %.3f, "
      "\"pinned_transfer_us\": %.3f, \"pageable_bytes\": %zu, \"pinned_bytes\": %zu}\n",
      iterations, median(delays), 2 * delay, median(kernels), 2 * kKernels * length, median(wholes),
      median(calls), median(transfers), kPageableBytes, kPinnedBytes);
  return finish(checksum<uint32_t>(states, kStates));
}
