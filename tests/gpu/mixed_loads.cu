// Measures the power of two loads: of each alone, of both in parallel on different multiprocessors, and of
// both alternating on all of them.
//
//   mixed_loads ROUNDS SPAN_SECONDS
//
// One load is arithmetic, the other reads memory. Prints a JSON line for each reading: the number of
// multiprocessors of each load (all of them if the loads alternate), the length of a turn in us (0: no
// turns), the mean power in W by the energy counter, chunks of work of each load per second, clock and
// temperature. The order of turns is random, so that they have no frequency near which a power sensor could
// alias.
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include "../../bench/instrument/check.cuh"

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kThreads = 1024, kWarp = 32;
constexpr int kAloneBytes = 128 << 10;  // shared memory of a block, so that a multiprocessor has one
constexpr size_t kData = size_t{1} << 28;  // float4s, 4 GiB: no cache holds them
constexpr unsigned long long kKernelNs = 20'000'000;
constexpr int kInFlight = 3;
constexpr double kSettleS = 0.4;

enum class Turn { arithmetic, memory, idle };

/// The load: numbers of multiprocessors, or alternating turns of `turn_ns` on all of them.
struct Load {
  int arithmetic, memory;
  unsigned turn_ns;
  Turn other;  ///< what alternates with arithmetic
};

struct Counts {
  unsigned long long arithmetic, memory;
};

__device__ unsigned long long now_ns() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
  return ns;
}

/// Returns whose turn it is: random, but the same on all multiprocessors.
__device__ Turn turn_at(unsigned long long ns, const Load& load) {
  unsigned long long x = ns / load.turn_ns;
  x = (x ^ (x >> 31)) * 0x9E3779B97F4A7C15ull;
  return (x >> 60) & 1 ? Turn::arithmetic : load.other;
}

__global__ void __launch_bounds__(kThreads) work(Load load, const float4* data, Counts* counts, float* sink) {
  const auto place = static_cast<int>(blockIdx.x);
  if (load.turn_ns == 0 && place >= load.arithmetic + load.memory) return;
  const Turn always = place < load.arithmetic ? Turn::arithmetic : Turn::memory;
  float x[8];
  for (int i = 0; i < 8; ++i) x[i] = static_cast<float>(threadIdx.x * 8 + i) / (8 * kThreads);
  const float summand = -1.7f;  // x * x - 1.7 never settles, so that all bits keep changing
  size_t at = (static_cast<size_t>(blockIdx.x) * 7919 + now_ns() % 9973) * kThreads + threadIdx.x;
  unsigned long long arithmetic = 0, memory = 0;
  const unsigned long long end = now_ns() + kKernelNs;
  for (unsigned long long ns = now_ns(); ns < end; ns = now_ns()) {
    const Turn turn = load.turn_ns == 0 ? always : turn_at(ns, load);
    if (turn == Turn::arithmetic) {
#pragma unroll
      for (int k = 0; k < 16; ++k)
#pragma unroll
        for (int i = 0; i < 8; ++i) x[i] = fmaf(x[i], x[i], summand);
      ++arithmetic;
    } else if (turn == Turn::memory) {
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        const float4 value = __ldcs(data + at % kData);
        x[k] += value.x + value.y + value.z + value.w;
        at += static_cast<size_t>(gridDim.x) * kThreads;
      }
      ++memory;
    } else {
      __nanosleep(200);
    }
  }
  float sum = 0;
  for (float value : x) sum += value;
  if (sum == 1e30f) *sink = sum;
  if (threadIdx.x % kWarp == 0) {
    atomicAdd(&counts->arithmetic, arithmetic);
    atomicAdd(&counts->memory, memory);
  }
}

/// Meters of one GPU by NVML, which is loaded at run time.
class Meters {
 public:
  explicit Meters(const char* bus) {
    library_ = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (library_ == nullptr) fail("NVML is missing");
    if (call<int()>("nvmlInit_v2")() != 0) fail("NVML does not start");
    if (call<int(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2")(bus, &device_) != 0) fail("NVML does not know this GPU");
  }
  double joules() const {
    unsigned long long mj = 0;
    if (call<int(void*, unsigned long long*)>("nvmlDeviceGetTotalEnergyConsumption")(device_, &mj) != 0) fail("no energy counter");
    return 1e-3 * static_cast<double>(mj);
  }
  unsigned clock_mhz() const { return number("nvmlDeviceGetClockInfo", 1); }
  unsigned temperature_c() const { return number("nvmlDeviceGetTemperature", 0); }

 private:
  [[noreturn]] static void fail(const char* why) {
    std::fprintf(stderr, "mixed_loads: %s\n", why);
    std::exit(1);
  }
  template <class Function>
  Function* call(const char* name) const {
    void* found = dlsym(library_, name);
    if (found == nullptr) fail(name);
    return reinterpret_cast<Function*>(found);
  }
  unsigned number(const char* name, int of) const {
    unsigned value = 0;
    if (call<int(void*, int, unsigned*)>(name)(device_, of, &value) != 0) fail(name);
    return value;
  }
  void* library_ = nullptr;
  void* device_ = nullptr;
};

/// Keeps the GPU busy with a load until it is destroyed.
class Runner {
 public:
  Runner(const Load& load, int multiprocessors, const float4* data, Counts* counts, float* sink)
      : thread_([=, this] {
          cudaStream_t stream = nullptr;
          CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
          std::vector<cudaEvent_t> ended(kInFlight);
          for (auto& event : ended) CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventBlockingSync));
          for (size_t i = 0; !done_; ++i) {
            cudaEvent_t& event = ended[i % kInFlight];
            CHECK(cudaEventSynchronize(event));
            work<<<multiprocessors, kThreads, kAloneBytes, stream>>>(load, data, counts, sink);
            CHECK(cudaGetLastError());
            CHECK(cudaEventRecord(event, stream));
          }
          CHECK(cudaStreamSynchronize(stream));
        }) {}
  ~Runner() {
    done_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> done_{false};
  std::thread thread_;
};

double seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

struct Stamp {
  double joules;
  Clock::time_point at;
};

/// Waits for the counter's next change.
Stamp next_change(const Meters& meters) {
  const double before = meters.joules();
  for (;;) {
    const double joules = meters.joules();
    if (joules != before) return {joules, Clock::now()};
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

/// Reads the counts of all kernels so far, while others run.
Counts counts_now(const Counts* counts) {
  static cudaStream_t stream = nullptr;
  if (stream == nullptr) CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  Counts now{};
  CHECK(cudaMemcpyAsync(&now, counts, sizeof now, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  return now;
}

void read_power(const Load& load, int round, int multiprocessors, double span_s, const Meters& meters, const float4* data, Counts* counts,
                float* sink) {
  Runner runner(load, multiprocessors, data, counts, sink);
  std::this_thread::sleep_for(std::chrono::duration<double>(kSettleS));
  const Counts counted = counts_now(counts);
  const auto counted_at = Clock::now();
  const Stamp begin = next_change(meters);
  double mhz = 0, celsius = 0;
  int looks = 0;
  while (seconds(Clock::now() - begin.at) < span_s) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    mhz += meters.clock_mhz();
    celsius += meters.temperature_c();
    ++looks;
  }
  const Stamp end = next_change(meters);
  const Counts after = counts_now(counts);
  const double s = seconds(Clock::now() - counted_at);  // approximate time of the counts
  const char* other = load.turn_ns == 0 ? "beside" : load.other == Turn::memory ? "memory" : "idle";
  std::printf(
      "{\"round\": %d, \"arithmetic_sms\": %d, \"memory_sms\": %d, \"turn_us\": %g, \"other\": \"%s\", \"watts\": %.3f, "
      "\"arithmetic_per_s\": %.6g, \"memory_per_s\": %.6g, \"clock_mhz\": %.1f, \"temperature_c\": %.2f}\n",
      round, load.arithmetic, load.memory, 1e-3 * load.turn_ns, other, (end.joules - begin.joules) / seconds(end.at - begin.at),
      static_cast<double>(after.arithmetic - counted.arithmetic) / s, static_cast<double>(after.memory - counted.memory) / s, mhz / looks,
      celsius / looks);
  std::fflush(stdout);
}

std::vector<Load> loads(int all) {
  const int quarter = all / 4;
  std::vector<Load> loads;
  for (int arithmetic = 0; arithmetic <= 4; ++arithmetic)
    for (int memory = 0; arithmetic + memory <= 4; ++memory)
      if (arithmetic + memory > 0 && (arithmetic == 0 || memory != 1 || arithmetic == 3))
        loads.push_back({arithmetic * quarter, memory * quarter, 0, Turn::memory});
  for (const unsigned us : {10, 30, 100, 1000, 10000})
    for (const Turn other : {Turn::memory, Turn::idle}) loads.push_back({all, all, us * 1000, other});
  return loads;
}

}  // namespace

int main(int count, char** words) {
  const int rounds = count == 3 ? std::atoi(words[1]) : 0;
  const double span_s = count == 3 ? std::atof(words[2]) : 0;
  if (rounds <= 0 || span_s <= 0) {
    std::fprintf(stderr, "usage: mixed_loads ROUNDS SPAN_SECONDS\n");
    return 2;
  }
  int multiprocessors = 0;
  char bus[32];
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
  CHECK(cudaFuncSetAttribute(work, cudaFuncAttributeMaxDynamicSharedMemorySize, kAloneBytes));
  const Meters meters(bus);
  float4* data = nullptr;
  float* sink = nullptr;
  Counts* counts = nullptr;
  CHECK(cudaMalloc(&data, kData * sizeof *data));
  CHECK(cudaMemset(data, 0x5c, kData * sizeof *data));
  CHECK(cudaMalloc(&sink, sizeof *sink));
  CHECK(cudaMalloc(&counts, sizeof *counts));
  CHECK(cudaMemset(counts, 0, sizeof *counts));
  std::mt19937 random(1);
  std::vector<Load> order = loads(multiprocessors);
  for (int round = 0; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const Load& load : order) read_power(load, round, multiprocessors, span_s, meters, data, counts, sink);
  }
  return 0;
}
