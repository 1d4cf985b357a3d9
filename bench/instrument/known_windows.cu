// A program that never repeats, whose kernels carry their own clocks: the time of each launch of a window is known without any instrument.
//
//   known_windows truth TRUTH.json SEED LAUNCHES A..B [A..B ...]
//   known_windows play SEED LAUNCHES [PASSES]
//   known_windows list SEED LAUNCHES
//
// The sequence (launch_sequence.hpp) has kernels of 1 to 400 us, memory-bound and compute-bound ones, and copies of 4 bytes to the host.
// `play` issues LAUNCHES of it one by one, with waits of the host, and then PASSES - 1 times as many further ones, to be measured by
// others. These are all its launches, and launch i is number i of the program. `list` prints them and needs no GPU.
//
// `truth` writes what each of the launches A to B-1 takes in the unbroken window, by the rule in own_clocks.cuh. It issues the sequence up
// to launch A - kMargin, and then plays the launches up to B + kMargin as one graph, again and again; memory is restored before each play.
#include <cuda_runtime.h>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "check.cuh"
#include "launch_sequence.hpp"
#include "own_clocks.cuh"

namespace {

constexpr int kMargin = 64;  // launches of the window's graph before the first and after the last that is timed
constexpr int kPlays = 200;
constexpr int kWarmUps = 10;  // plays that are not used: the first one uploads the graph
constexpr int kDefaultPasses = 100000;
constexpr size_t kWords = 1 << 20;  // of one buffer of words
constexpr size_t kMediumFloats = 16 << 20;
constexpr size_t kLargeFloats = 32 << 20;
constexpr size_t kSums = 1 << 18;
constexpr size_t kAllFloats = kWordBuffers * kWords + kMediumBuffers * kMediumFloats + kLargeBuffers * kLargeFloats + kSums;
constexpr size_t kMemoryBytes = kAllFloats * sizeof(float);
constexpr int kRow = 16;  // floats of a row of the table from which indices gather: one medium buffer has kWords rows
constexpr int kSteps = 60;

static_assert(kWords * kRow == kMediumFloats);

__device__ uint32_t mixed(uint32_t bits) {
  bits = (bits ^ bits >> 16) * 0x85ebca6bU;
  bits = (bits ^ bits >> 13) * 0xc2b2ae35U;
  return bits ^ bits >> 16;
}

__device__ size_t thread_of_grid() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}
__device__ size_t threads_of_grid() {
  return gridDim.x * blockDim.x;
}

/// Writes floats from 1 to 2, whose bits are out of range as indices, as are those of all floats that are made from them here.
template <int megabytes>
__global__ void fill(Clocks* clocks, float* values) {
  write_begin(clocks);
  constexpr size_t kCount = static_cast<size_t>(megabytes) << 18;
  for (size_t i = thread_of_grid(); i < kCount; i += threads_of_grid()) values[i] = 1 + static_cast<float>(mixed(i)) * 0x1p-32f;
  write_end(clocks);
}

template <int megabytes>
__global__ void average(Clocks* clocks, float* means, const float* some, const float* others) {
  write_begin(clocks);
  constexpr size_t kCount = static_cast<size_t>(megabytes) << 18;
  for (size_t i = thread_of_grid(); i < kCount; i += threads_of_grid()) means[i] = (some[i] + others[i]) * .5f;
  write_end(clocks);
}

template <int times>
__global__ void multiply(Clocks* clocks, float* values) {
  write_begin(clocks);
  float value = values[thread_of_grid()];
#pragma unroll 16
  for (int i = 0; i < times; ++i) value = value * .999f + 1;
  values[thread_of_grid()] = value;
  write_end(clocks);
}

/// Turns words of any contents into indices, which depend on them.
__global__ void indices(Clocks* clocks, uint32_t* words) {
  write_begin(clocks);
  for (size_t i = thread_of_grid(); i < kWords; i += threads_of_grid()) words[i] = mixed(words[i] ^ i) % kWords;
  write_end(clocks);
}

__global__ void permute(Clocks* clocks, uint32_t* words) {
  write_begin(clocks);
  for (size_t i = thread_of_grid(); i < kWords; i += threads_of_grid()) {
    assert(words[i] < kWords && "an index is out of range");
    words[i] = (words[i] * 5 + 1) % kWords;
  }
  write_end(clocks);
}

__global__ void gather(Clocks* clocks, float* sums, const uint32_t* words, const float* table) {
  write_begin(clocks);
  for (size_t i = thread_of_grid(); i < kWords; i += threads_of_grid()) {
    const uint32_t row = words[i];
    assert(row < kWords && "an index is out of range");
    sums[i] = table[static_cast<size_t>(row) * kRow] + table[static_cast<size_t>(row) * kRow + kRow / 2];
  }
  write_end(clocks);
}

/// Follows indices from word to word.
__global__ void walk(Clocks* clocks, float* ends, const uint32_t* words) {
  write_begin(clocks);
  uint32_t place = thread_of_grid() * (kWords / threads_of_grid());
  for (int i = 0; i < kSteps; ++i) {
    place = words[place];
    assert(place < kWords && "an index is out of range");
  }
  ends[thread_of_grid()] = ends[thread_of_grid()] * .5f + static_cast<float>(place);
  write_end(clocks);
}

/// Adds the sum of each block's values to half of what there was.
template <int threads>
__global__ void reduce(Clocks* clocks, float* sums, const float* values) {
  write_begin(clocks);
  __shared__ float of_threads[threads];
  float sum = 0;
  for (size_t i = thread_of_grid(); i < kMediumFloats; i += threads_of_grid()) sum += values[i];
  of_threads[threadIdx.x] = sum;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) of_threads[threadIdx.x] += of_threads[threadIdx.x + half];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = sums[blockIdx.x] * .5f + of_threads[0];
  write_end(clocks);
}

/// First and last reading of a launch, ns; 0 where it has no clocks.
struct Span {
  uint64_t begin, end;
};

/// Finds the span of one launch in each block.
__global__ void find_spans(const Clocks* clocks, Span* spans) {
  const Clocks& c = clocks[blockIdx.x];
  Span span{UINT64_MAX, 0};
  for (int b = 0; b < kMostBlocks && c.begin[b] != 0; ++b) {
    span.begin = min(span.begin, c.begin[b]);
    span.end = max(span.end, c.end[b]);
  }
  spans[blockIdx.x] = span.end == 0 ? Span{0, 0} : span;
}

struct Program {
  cudaStream_t stream = nullptr;
  Clocks* clocks = nullptr;
  char* memory = nullptr;  // all that launches read and write, apart from clocks
  float *words = nullptr, *medium = nullptr, *large = nullptr, *sums = nullptr;
  float* host = nullptr;
};

/// Issues nothing: the program's launches are those of the sequence.
Program make_program(size_t launches) {
  Program p;
  CHECK(cudaStreamCreate(&p.stream));
  CHECK(cudaMalloc(&p.clocks, launches * sizeof(Clocks)));
  CHECK(cudaMalloc(&p.memory, kMemoryBytes));
  CHECK(cudaMallocHost(&p.host, sizeof(float)));
  p.large = reinterpret_cast<float*>(p.memory);
  p.medium = p.large + kLargeBuffers * kLargeFloats;
  p.words = p.medium + kMediumBuffers * kMediumFloats;
  p.sums = p.words + kWordBuffers * kWords;
  return p;
}

/// Issues a launch that writes its clocks into place `slot`.
void issue(const Program& p, const Launch& launch, size_t slot) {
  Clocks* clocks = p.clocks + slot;
  const std::string& kind = launch.kind;
  float* values = p.words + std::max(launch.words, 0) * kWords;
  auto* words = reinterpret_cast<uint32_t*>(values);
  float* medium = p.medium + std::max(launch.medium, 0) * kMediumFloats;
  const auto large = [&](int next) { return p.large + (std::max(launch.large, 0) + next) % kLargeBuffers * kLargeFloats; };
  cudaStream_t s = p.stream;
  if (kind == "tick") tick<<<1, 1, 0, s>>>(clocks);
  if (kind == "fill<1>") fill<1><<<66, 256, 0, s>>>(clocks, p.sums);
  if (kind == "fill<4>") fill<4><<<132, 256, 0, s>>>(clocks, values);
  if (kind == "fill<64>") fill<64><<<264, 1024, 0, s>>>(clocks, medium);
  if (kind == "fill<128>") fill<128><<<264, 1024, 0, s>>>(clocks, large(0));
  if (kind == "touch<1>") touch<1><<<66, 256, 0, s>>>(clocks, values);
  if (kind == "touch<4>") touch<4><<<264, 256, 0, s>>>(clocks, values);
  if (kind == "touch<64>") touch<64><<<264, 1024, 0, s>>>(clocks, medium);
  if (kind == "average<128>") average<128><<<264, 1024, 0, s>>>(clocks, large(0), large(1), large(2));
  if (kind == "multiply<300>") multiply<300><<<132, 128, 0, s>>>(clocks, values);
  if (kind == "multiply<4000>") multiply<4000><<<132, 256, 0, s>>>(clocks, values);
  if (kind == "multiply<80000>") multiply<80000><<<264, 512, 0, s>>>(clocks, values);
  if (kind == "indices") indices<<<132, 512, 0, s>>>(clocks, words);
  if (kind == "permute") permute<<<264, 128, 0, s>>>(clocks, words);
  if (kind == "gather") gather<<<264, 512, 0, s>>>(clocks, p.words + launch.output * kWords, words, medium);
  if (kind == "walk") walk<<<16, 32, 0, s>>>(clocks, p.sums + kSums / 2, words);
  if (kind == "reduce") reduce<512><<<132, 512, 0, s>>>(clocks, p.sums, medium);
  if (kind == "copy DtoH 4") CHECK(cudaMemcpyAsync(p.host, p.sums, sizeof(float), cudaMemcpyDeviceToHost, s));
  CHECK(cudaGetLastError());
}

void issue_with_wait(const Program& p, const Launch& launch, size_t slot) {
  issue(p, launch, slot);
  if (launch.host_waits) CHECK(cudaStreamSynchronize(p.stream));
}

/// Launches `begin` to `end - 1` of the sequence.
struct Window {
  size_t begin, end;
};

std::vector<Launch> drawn_launches(unsigned seed, size_t count) {
  LaunchSequence sequence(seed);
  std::vector<Launch> launches;
  for (size_t i = 0; i < count; ++i) launches.push_back(sequence.next());
  return launches;
}

Readings readings_of(const Span* spans, size_t count) {
  uint64_t origin = UINT64_MAX;
  for (size_t i = 0; i < count; ++i)
    if (spans[i].end != 0) origin = std::min(origin, spans[i].begin);
  Readings readings;
  for (size_t i = 0; i < count; ++i) {
    readings.begin.push_back(spans[i].end == 0 ? 0 : static_cast<double>(spans[i].begin - origin));
    readings.end.push_back(spans[i].end == 0 ? 0 : static_cast<double>(spans[i].end - origin));
  }
  return readings;
}

cudaGraphExec_t make_graph(const Program& p, const std::vector<Launch>& launches, const Window& played) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  CHECK(cudaStreamBeginCapture(p.stream, cudaStreamCaptureModeGlobal));
  for (size_t i = played.begin; i < played.end; ++i) issue(p, launches[i], i);
  CHECK(cudaStreamEndCapture(p.stream, &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  return executable;
}

/// Plays the launches of `played` again and again from `saved` memory, without a pause of the device, and leaves memory as saved.
std::vector<Readings> readings_of_plays(const Program& p, const std::vector<Launch>& launches, const Window& played, const char* saved) {
  const size_t count = played.end - played.begin;
  Span* spans = nullptr;
  CHECK(cudaMalloc(&spans, kPlays * count * sizeof(Span)));
  const cudaGraphExec_t graph = make_graph(p, launches, played);
  for (int i = -kWarmUps; i < kPlays; ++i) {
    CHECK(cudaMemcpyAsync(p.memory, saved, kMemoryBytes, cudaMemcpyDeviceToDevice, p.stream));
    CHECK(cudaGraphLaunch(graph, p.stream));
    find_spans<<<static_cast<unsigned>(count), 1, 0, p.stream>>>(p.clocks + played.begin, spans + std::max(i, 0) * count);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpyAsync(p.memory, saved, kMemoryBytes, cudaMemcpyDeviceToDevice, p.stream));
  CHECK(cudaStreamSynchronize(p.stream));
  std::vector<Span> found(kPlays * count);
  CHECK(cudaMemcpy(found.data(), spans, found.size() * sizeof(Span), cudaMemcpyDeviceToHost));
  CHECK(cudaGraphExecDestroy(graph));
  CHECK(cudaFree(spans));

  std::vector<Readings> plays;
  for (size_t i = 0; i < found.size(); i += count) plays.push_back(readings_of(&found[i], count));
  return plays;
}

void write_window(FILE* file, const std::vector<Launch>& launches, const Window& window, const std::vector<Readings>& plays) {
  std::vector<Work> works;
  for (size_t i = window.begin - kMargin; i < window.end + kMargin; ++i)
    works.push_back({launches[i].kind, launches[i].kind.rfind("copy", 0) != 0});
  const Moments moments(works, plays);
  const std::vector<KnownTime> times = known_times(moments, works.size());
  const size_t before = kMargin - 1, last = works.size() - kMargin - 1;
  std::fprintf(file, "{\"begin\": %zu, \"end\": %zu, ", window.begin, window.end);
  if (moments.is_known(before) && moments.is_known(last))
    std::fprintf(file, "\"whole_us\": %.4f, ", moments.between_us(before, last).value);
  std::fprintf(file, "\"launches\": [\n");
  for (size_t i = kMargin; i <= last; ++i) {
    write_launch(file, works[i].kind, times[i]);
    std::fprintf(file, "%s\n", i < last ? "," : "]}");
  }
}

/// Writes the times of the launches of all windows, which are in ascending order.
void write_truth(const char* path, unsigned seed, size_t count, const std::vector<Window>& windows) {
  const std::vector<Launch> launches = drawn_launches(seed, count);
  FILE* file = std::fopen(path, "w");
  if (file == nullptr) {
    std::fprintf(stderr, "known_windows: cannot write %s\n", path);
    std::exit(1);
  }
  const Program p = make_program(count);
  char* saved = nullptr;
  CHECK(cudaMalloc(&saved, kMemoryBytes));
  CHECK(cudaMemset(p.clocks, 0, count * sizeof(Clocks)));
  CHECK(cudaDeviceSynchronize());
  std::fprintf(file, "{\"windows\": [\n");
  size_t issued = 0;
  for (size_t i = 0; i < windows.size(); ++i) {
    for (; issued < windows[i].begin - kMargin; ++issued) issue_with_wait(p, launches[issued], issued);
    CHECK(cudaMemcpyAsync(saved, p.memory, kMemoryBytes, cudaMemcpyDeviceToDevice, p.stream));
    const Window played{windows[i].begin - kMargin, windows[i].end + kMargin};
    write_window(file, launches, windows[i], readings_of_plays(p, launches, played, saved));
    std::fprintf(file, "%s\n", i + 1 < windows.size() ? "," : "]}");
  }
  std::fclose(file);
}

void play(unsigned seed, size_t launches, int passes) {
  const Program p = make_program(launches);
  LaunchSequence sequence(seed);
  for (int pass = 0; pass < passes; ++pass)
    for (size_t i = 0; i < launches; ++i) issue_with_wait(p, sequence.next(), i);
  CHECK(cudaStreamSynchronize(p.stream));
}

void list(unsigned seed, size_t count) {
  for (const Launch& launch : drawn_launches(seed, count))
    std::printf("%s\t%d\t%d\t%d\t%d\t%s\n", launch.kind.c_str(), launch.words, launch.output, launch.medium, launch.large,
                launch.host_waits ? "wait" : "");
}

[[noreturn]] void refuse(const std::string& why) {
  std::fprintf(stderr,
               "%susage: known_windows truth TRUTH.json SEED LAUNCHES A..B ... | play SEED LAUNCHES [PASSES] | list SEED LAUNCHES\n",
               why.c_str());
  std::exit(2);
}

/// Reads "A..B". The window and its margins are among the first `launches` launches.
Window window_of(const char* text, size_t launches) {
  Window window{};
  int length = 0;
  if (std::sscanf(text, "%zu..%zu%n", &window.begin, &window.end, &length) != 2 || text[length] != '\0' || window.begin < kMargin ||
      window.begin >= window.end || window.end + kMargin > launches)
    refuse("known_windows: " + std::string(text) + ": not a window A..B with " + std::to_string(kMargin) + " launches on each side\n");
  return window;
}

size_t positive(const char* text) {
  const long value = std::atol(text);
  if (value <= 0) refuse("known_windows: " + std::string(text) + ": not a whole number from 1\n");
  return static_cast<size_t>(value);
}

}  // namespace

int main(int count, char** words) {
  const std::string mode = count > 1 ? words[1] : "";
  if (mode == "truth" && count > 5) {
    const size_t launches = positive(words[4]);
    std::vector<Window> windows;
    for (int i = 5; i < count; ++i) windows.push_back(window_of(words[i], launches));
    std::sort(windows.begin(), windows.end(), [](const Window& a, const Window& b) { return a.begin < b.begin; });
    write_truth(words[2], static_cast<unsigned>(positive(words[3])), launches, windows);
  } else if (mode == "play" && (count == 4 || count == 5)) {
    play(static_cast<unsigned>(positive(words[2])), positive(words[3]), count == 5 ? static_cast<int>(positive(words[4])) : kDefaultPasses);
  } else if (mode == "list" && count == 4) {
    list(static_cast<unsigned>(positive(words[2])), positive(words[3]));
  } else {
    refuse("");
  }
  return 0;
}
