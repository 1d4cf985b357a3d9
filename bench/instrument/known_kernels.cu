// A program whose kernels carry their own clocks, so that the time of each launch is known without any instrument.
//
//   known_kernels TRUTH.json|- [ITERATIONS] [SEED]
//
// One CUDA graph holds kernels of 1 to 31 us, memory-bound ones among them, cooperative and cluster launches, copies and memsets. The
// program plays it, writes what each launch takes to TRUTH.json, and then plays it ITERATIONS times more, to be measured by others. With
// "-" it writes nothing and plays from the beginning: what measures it sees no other work.
//
// The time of each launch follows from the clocks alone, as own_clocks.cuh says. With SEED 0 the graph holds every ordered pair of
// eight kinds instead, with ticks around each pair; where the first of a pair has no clocks, the time is that of both launches together.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "check.cuh"
#include "own_clocks.cuh"

struct Program {
  cudaStream_t stream = nullptr;
  Clocks* clocks = nullptr;
  float *small = nullptr, *large = nullptr, *host = nullptr;
  std::vector<Work> works;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  std::map<std::string, int> issued;
};

namespace {

namespace cg = cooperative_groups;

constexpr int kLaunchesOfAKind = 8;
constexpr int kPlays = 300;
constexpr size_t kSmall = 1 << 20;   // floats of one small buffer: 4 MB, of which eight rotate
constexpr size_t kLarge = 16 << 20;  // floats of one large buffer: 64 MB, of which four rotate
constexpr int kCyclesPerUs = 1980;

__device__ void spin_cycles(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

template <int ns>
__global__ void spin(Clocks* clocks) {
  write_begin(clocks);
  spin_cycles(static_cast<long long>(ns) * kCyclesPerUs / 1000);
  write_end(clocks);
}

__global__ void cooperate(Clocks* clocks) {
  write_begin(clocks);
  for (int i = 0; i < 3; ++i) {
    spin_cycles(kCyclesPerUs / 2);
    cg::this_grid().sync();
  }
  write_end(clocks);
}

__global__ void __cluster_dims__(4, 1, 1) cluster(Clocks* clocks) {
  write_begin(clocks);
  spin_cycles(kCyclesPerUs * 3);
  cg::this_cluster().sync();
  write_end(clocks);
}

const std::vector<std::string> kKernels{"spin<1000>", "spin<1700>",  "spin<2500>", "spin<5000>", "spin<10000>", "spin<31000>",
                                        "spin<4000>", "touch<4>",    "touch<64>",  "cooperate",  "cluster"};
const std::vector<std::string> kTransfers{"copy DtoD 4194304", "copy DtoD 4096",  "copy HtoD 65536",
                                          "copy DtoH 65536",   "memset 1048576", "memset 4"};

void issue(Program& p, const std::string& kind) {
  Clocks* clocks = p.clocks + p.works.size();
  const int nth = p.issued[kind]++;
  float* small = p.small + nth % 8 * kSmall;
  cudaStream_t s = p.stream;
  if (kind == "tick") tick<<<1, 1, 0, s>>>(clocks);
  if (kind == "spin<1000>") spin<1000><<<132, 128, 0, s>>>(clocks);
  if (kind == "spin<1700>") spin<1700><<<132, 128, 0, s>>>(clocks);
  if (kind == "spin<2500>") spin<2500><<<132, 128, 0, s>>>(clocks);
  if (kind == "spin<4000>") spin<4000><<<264, 256, 0, s>>>(clocks);
  if (kind == "spin<5000>") spin<5000><<<132, 128, 0, s>>>(clocks);
  if (kind == "spin<10000>") spin<10000><<<16, 64, 0, s>>>(clocks);
  if (kind == "spin<31000>") spin<31000><<<132, 128, 0, s>>>(clocks);
  if (kind == "touch<4>") touch<4><<<264, 256, 0, s>>>(clocks, small);
  if (kind == "touch<64>") touch<64><<<264, 1024, 0, s>>>(clocks, p.large + nth % 4 * kLarge);
  if (kind == "cooperate") {
    void* arguments[] = {&clocks};
    CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(cooperate), 132, 128, arguments, 0, s));
  }
  if (kind == "cluster") cluster<<<128, 128, 0, s>>>(clocks);
  if (kind == "copy DtoD 4194304") CHECK(cudaMemcpyAsync(small, small + kSmall, 4194304, cudaMemcpyDeviceToDevice, s));
  if (kind == "copy DtoD 4096") CHECK(cudaMemcpyAsync(small, small + kSmall, 4096, cudaMemcpyDeviceToDevice, s));
  if (kind == "copy HtoD 65536") CHECK(cudaMemcpyAsync(small, p.host, 65536, cudaMemcpyHostToDevice, s));
  if (kind == "copy DtoH 65536") CHECK(cudaMemcpyAsync(p.host, small, 65536, cudaMemcpyDeviceToHost, s));
  if (kind == "memset 1048576") CHECK(cudaMemsetAsync(small, 0, 1048576, s));
  if (kind == "memset 4") CHECK(cudaMemsetAsync(small, 0, 4, s));
  CHECK(cudaGetLastError());
  p.works.push_back({kind, kind.rfind("copy", 0) != 0 && kind.rfind("memset", 0) != 0});
}

const std::vector<std::string> kPaired{"spin<2500>",      "spin<10000>",    "touch<4>",       "copy DtoD 4194304",
                                       "copy HtoD 65536", "copy DtoH 65536", "memset 1048576", "memset 4"};

std::vector<std::string> all_pairs() {
  std::vector<std::string> order{"tick", "tick"};
  for (const std::string& first : kPaired)
    for (const std::string& second : kPaired) order.insert(order.end(), {first, second, "tick", "tick"});
  return order;
}

/// Every kind kLaunchesOfAKind times in an order drawn by `seed`; a tick after each transfer and after every other kernel.
std::vector<std::string> drawn_order(unsigned seed) {
  std::vector<std::string> order;
  for (int i = 0; i < kLaunchesOfAKind; ++i) {
    order.insert(order.end(), kKernels.begin(), kKernels.end());
    order.insert(order.end(), kTransfers.begin(), kTransfers.end());
    order.insert(order.end(), {"tick", "tick"});
  }
  std::mt19937 random(seed);
  for (size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[random() % (i + 1)]);
  std::vector<std::string> with_ticks;
  std::map<std::string, int> met;
  for (const std::string& kind : order) {
    with_ticks.push_back(kind);
    const bool kernel = std::find(kKernels.begin(), kKernels.end(), kind) != kKernels.end();
    if (kind != "tick" && (!kernel || met[kind]++ % 2 == 0)) with_ticks.push_back("tick");
  }
  return with_ticks;
}

Program make_program(unsigned seed) {
  Program p;
  const std::vector<std::string> order = seed == 0 ? all_pairs() : drawn_order(seed);
  CHECK(cudaStreamCreate(&p.stream));
  CHECK(cudaMalloc(&p.clocks, order.size() * sizeof(Clocks)));
  CHECK(cudaMemset(p.clocks, 0, order.size() * sizeof(Clocks)));
  CHECK(cudaMalloc(&p.small, 9 * kSmall * sizeof(float)));
  CHECK(cudaMemset(p.small, 0, 9 * kSmall * sizeof(float)));
  CHECK(cudaMalloc(&p.large, 4 * kLarge * sizeof(float)));
  CHECK(cudaMemset(p.large, 0, 4 * kLarge * sizeof(float)));
  CHECK(cudaMallocHost(&p.host, 65536));
  CHECK(cudaStreamBeginCapture(p.stream, cudaStreamCaptureModeGlobal));
  for (const std::string& kind : order) issue(p, kind);
  CHECK(cudaStreamEndCapture(p.stream, &p.graph));
  CHECK(cudaGraphInstantiate(&p.executable, p.graph, 0));
  return p;
}

Readings play_once(const Program& p, std::vector<Clocks>& clocks) {
  for (int i = 0; i < 2; ++i) CHECK(cudaGraphLaunch(p.executable, p.stream));  // the first is warm-up
  CHECK(cudaStreamSynchronize(p.stream));
  CHECK(cudaMemcpy(clocks.data(), p.clocks, clocks.size() * sizeof(Clocks), cudaMemcpyDeviceToHost));
  uint64_t origin = UINT64_MAX;
  for (const Clocks& c : clocks)
    if (c.begin[0] != 0) origin = std::min(origin, c.begin[0]);
  Readings readings;
  for (const Clocks& c : clocks) {
    uint64_t first = UINT64_MAX, last = 0;
    for (int b = 0; b < kMostBlocks && c.begin[b] != 0; ++b) {
      first = std::min(first, c.begin[b]);
      last = std::max(last, c.end[b]);
    }
    readings.begin.push_back(last == 0 ? 0 : static_cast<double>(first - origin));
    readings.end.push_back(last == 0 ? 0 : static_cast<double>(last - origin));
  }
  return readings;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  return n % 2 != 0 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/// By the rule in own_clocks.cuh. Nothing is known of the first launch, whose predecessor is of another play.
std::vector<KnownTime> times_of_launches(const Program& p) {
  std::vector<Clocks> clocks(p.works.size());
  std::vector<Readings> plays;
  for (int i = 0; i < kPlays + 10; ++i) {
    Readings one = play_once(p, clocks);
    if (i >= 10) plays.push_back(std::move(one));
  }
  return known_times(Moments(p.works, plays), p.works.size());
}

/// us of one play among many without pause, by events.
double whole_us(const Program& p) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<double> values;
  for (int i = 0; i < 30; ++i) {
    CHECK(cudaGraphLaunch(p.executable, p.stream));
    CHECK(cudaEventRecord(begin, p.stream));
    for (int k = 0; k < 10; ++k) CHECK(cudaGraphLaunch(p.executable, p.stream));
    CHECK(cudaEventRecord(end, p.stream));
    CHECK(cudaStreamSynchronize(p.stream));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    values.push_back(ms * 100);
  }
  return median(values);
}

void write_truth(const Program& p, const char* path) {
  const std::vector<KnownTime> times = times_of_launches(p);
  FILE* file = std::fopen(path, "w");
  if (file == nullptr) {
    std::fprintf(stderr, "known_kernels: cannot write %s\n", path);
    std::exit(1);
  }
  std::fprintf(file, "{\"whole_by_events_us\": %.4f, \"launches\": [\n", whole_us(p));
  for (size_t i = 0; i < p.works.size(); ++i) {
    write_launch(file, p.works[i].kind, times[i]);
    std::fprintf(file, "%s\n", i + 1 < p.works.size() ? "," : "");
  }
  std::fprintf(file, "]}\n");
  std::fclose(file);
}

}  // namespace

extern "C" {

/// The graph, for programs that load this file as a library.
Program* make_known_program(unsigned seed) { return new Program(make_program(seed)); }
cudaGraph_t known_graph(const Program* p) { return p->graph; }
void write_known_truth(const Program* p, const char* path) { write_truth(*p, path); }

}  // extern "C"

int main(int count, char** words) {
  if (count < 2) {
    std::fprintf(stderr, "usage: known_kernels TRUTH.json|- [ITERATIONS] [SEED]\n");
    return 2;
  }
  const int iterations = count > 2 ? std::atoi(words[2]) : 0;
  const Program p = make_program(count > 3 ? static_cast<unsigned>(std::atoi(words[3])) : 1);
  if (std::string(words[1]) != "-") write_truth(p, words[1]);
  for (int i = 0; i < iterations; ++i) {
    CHECK(cudaGraphLaunch(p.executable, p.stream));
    CHECK(cudaStreamSynchronize(p.stream));
  }
  return 0;
}
