// A program that repeats an iteration of 1, 2 or 5 short launches without a pause until it is ended.
//
//   short_loops LAUNCHES MICROSECONDS
//
// Each launch is a kernel of its own. Two launches take 0.8 and 1.2 times MICROSECONDS, five launches 0.6 to
// 1.4 times, but never less than an empty kernel. A kernel has one block, so that it never waits until the
// previous kernel leaves a multiprocessor.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

#include "../../bench/instrument/check.cuh"

namespace {

constexpr double kEmptyUs = 0.6;
constexpr int kThreads = 32;

const std::map<int, std::vector<double>> kShares{{1, {1}}, {2, {.8, 1.2}}, {5, {.6, .8, 1, 1.2, 1.4}}};

template <int nth>
__global__ void empty() {}

template <int nth>
__global__ void spin(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

void (*const kEmpty[])() = {empty<0>, empty<1>, empty<2>, empty<3>, empty<4>};
void (*const kSpin[])(long long) = {spin<0>, spin<1>, spin<2>, spin<3>, spin<4>};

/// Returns the clock cycles for which each launch spins; 0 for an empty kernel.
std::vector<long long> cycles_of_launches(const std::vector<double>& shares, double us) {
  int khz = 0;
  CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  std::vector<long long> cycles;
  for (const double share : shares) cycles.push_back(static_cast<long long>(std::max(0., share * us - kEmptyUs) * khz / 1000));
  return cycles;
}

}  // namespace

int main(int count, char** words) {
  const auto shares = kShares.find(count == 3 ? std::atoi(words[1]) : 0);
  if (shares == kShares.end() || std::atof(words[2]) <= 0) {
    std::fprintf(stderr, "usage: short_loops 1|2|5 MICROSECONDS\n");
    return 2;
  }
  const std::vector<long long> cycles = cycles_of_launches(shares->second, std::atof(words[2]));
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreate(&stream));
  while (true) {
    for (size_t i = 0; i < cycles.size(); ++i) {
      if (cycles[i] == 0) kEmpty[i]<<<1, kThreads, 0, stream>>>();
      if (cycles[i] != 0) kSpin[i]<<<1, kThreads, 0, stream>>>(cycles[i]);
      CHECK(cudaGetLastError());
    }
  }
}
