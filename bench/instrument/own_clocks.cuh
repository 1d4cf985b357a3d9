// Kernels that write their own clocks, and the times of launches that follow from these clocks alone.
//
// The time of launch i is S(i) - S(i-1), where S(i) is the moment at which a dependent one-thread kernel could run after launch i:
//   - where the next launch is such a kernel (`tick`), S(i) is its own reading of the device clock;
//   - elsewhere S(i) = end(i) + L(i): the last reading of the launch's own blocks, and the mean delay L between the end of such a
//     launch and the tick after it, from the places of the same graph where a tick follows.
// Copies and memsets have no clocks and are always followed by a tick.
#pragma once
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

constexpr int kMostBlocks = 264;

/// First and last reading of each block of a launch, ns; 0 where there is no such block.
struct Clocks {
  uint64_t begin[kMostBlocks];
  uint64_t end[kMostBlocks];
};

struct Work {
  std::string kind;
  bool has_clocks;
};

__device__ inline uint64_t now_ns() {
  uint64_t ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

__device__ inline void write_begin(Clocks* clocks) {
  if (threadIdx.x == 0) clocks->begin[blockIdx.x] = now_ns();
}

__device__ inline void write_end(Clocks* clocks) {
  __syncthreads();
  if (threadIdx.x == 0) clocks->end[blockIdx.x] = now_ns();
}

static __global__ void tick(Clocks* clocks) {
  clocks->begin[0] = now_ns();
  clocks->end[0] = now_ns();
}

template <int megabytes>
__global__ void touch(Clocks* clocks, float* values) {
  write_begin(clocks);
  constexpr size_t kCount = static_cast<size_t>(megabytes) << 18;
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < kCount; i += gridDim.x * blockDim.x) values[i] = values[i] * .999f + 1;
  write_end(clocks);
}

/// First and last reading of each launch in one play, ns; 0 where it has no clocks.
struct Readings {
  std::vector<double> begin, end;
};

/// Mean without a twentieth at either end, and its standard error. It resolves less than the clock's step (32 ns), unlike the median.
struct Mean {
  double value = 0, error = 0;
};

inline Mean trimmed_mean(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t cut = values.size() / 20;
  double sum = 0, squares = 0;
  const auto n = static_cast<double>(values.size() - 2 * cut);
  for (size_t i = cut; i + cut < values.size(); ++i) sum += values[i];
  for (size_t i = cut; i + cut < values.size(); ++i) squares += (values[i] - sum / n) * (values[i] - sum / n);
  return {sum / n, std::sqrt(squares) / n};
}

/// The moments S of the launches of one graph, from several plays of it. `works` and `plays` must outlive it.
class Moments {
 public:
  Moments(const std::vector<Work>& works, const std::vector<Readings>& plays) : works_(works), plays_(plays) {
    std::map<std::string, std::vector<double>> delays;
    for (const Readings& r : plays)
      for (size_t i = 0; i < works.size(); ++i)
        if (tick_follows(i) && works[i].has_clocks) delays[works[i].kind].push_back(r.begin[i + 1] - r.end[i]);
    for (auto& [kind, values] : delays) delay_ns_[kind] = trimmed_mean(values).value;
  }

  /// Returns whether the moment after launch i follows from the clocks.
  bool is_known(size_t i) const { return tick_follows(i) || (works_[i].has_clocks && delay_ns_.count(works_[i].kind) != 0); }

  /// Returns the time from the moment after launch `first` to that after launch `last`, us; both are known.
  Mean between_us(size_t first, size_t last) const {
    std::vector<double> values;
    for (const Readings& r : plays_) values.push_back((moment_ns(r, last) - moment_ns(r, first)) * 1e-3);
    return trimmed_mean(values);
  }

 private:
  bool tick_follows(size_t i) const { return i + 1 < works_.size() && works_[i + 1].kind == "tick"; }
  double moment_ns(const Readings& r, size_t i) const { return tick_follows(i) ? r.begin[i + 1] : r.end[i] + delay_ns_.at(works_[i].kind); }

  const std::vector<Work>& works_;
  const std::vector<Readings>& plays_;
  std::map<std::string, double> delay_ns_;  // of a tick, after the end of a launch of each kind
};

/// Time in us of `launches` launches that end with this one; none (0) where the end of this one is not known.
struct KnownTime {
  int launches = 0;
  Mean us;
};

/// Returns the time of each of `count` launches. Nothing is known of the first whose end is known: its predecessor's end is not.
inline std::vector<KnownTime> known_times(const Moments& moments, size_t count) {
  std::vector<KnownTime> times(count);
  size_t last_known = count;
  for (size_t i = 0; i < count; ++i) {
    if (!moments.is_known(i)) continue;
    if (last_known < count) times[i] = {static_cast<int>(i - last_known), moments.between_us(last_known, i)};
    last_known = i;
  }
  return times;
}

/// Writes a line of JSON for a launch, without the end of the line.
inline void write_launch(FILE* file, const std::string& kind, const KnownTime& time) {
  std::fprintf(file, "{\"kind\": \"%s\", \"of_launches\": %d, \"us\": %.5f, \"standard_error_us\": %.5f}", kind.c_str(), time.launches,
               time.us.value, time.us.error);
}
