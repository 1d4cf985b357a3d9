#include "probes.hpp"

#include <cuda_runtime.h>

#include <algorithm>

#include "facts.hpp"

namespace facts {

namespace {

constexpr int kThreads = 256;
constexpr size_t kMostBlocks = 1024;

/// The counts of a kernel that reads the memory.
struct Counts {
  unsigned long long others;  // words that differ from the pattern
  unsigned long long zeros;
};

__device__ Counts counts;
__device__ unsigned own_words[64];

/// Returns a word of the pattern. It is never 0, so that cleared memory is recognised.
__host__ __device__ unsigned word_at(size_t index, unsigned seed) {
  return (static_cast<unsigned>(index) * 2654435761u + seed * 40503u) | 1u;
}

__global__ void write_words(unsigned* words, size_t count, unsigned seed) {
  const size_t step = size_t{gridDim.x} * blockDim.x;
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step)
    words[i] = word_at(i, seed);
}

__global__ void read_words(const unsigned* words, size_t count, unsigned seed) {
  Counts own{};
  const size_t step = size_t{gridDim.x} * blockDim.x;
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    const unsigned word = words[i];
    own.others += word != word_at(i, seed);
    own.zeros += word == 0;
  }
  if (own.others != 0) atomicAdd(&counts.others, own.others);
  if (own.zeros != 0) atomicAdd(&counts.zeros, own.zeros);
}

unsigned blocks_for(size_t words) {
  return static_cast<unsigned>(std::min((words + kThreads - 1) / kThreads, kMostBlocks));
}

std::string in_words(const Counts& found, size_t words) {
  if (found.others == 0) return "no fault, the pattern is there";
  std::string text =
      "no fault, " + std::to_string(found.others) + " of " + std::to_string(words) + " words differ";
  if (found.zeros != 0) text += ", " + std::to_string(found.zeros) + " words are 0";
  return text;
}

/// If a call that waited for a kernel failed, prints its result as an answer.
void need_no_fault(const std::string& what, cudaError_t result) {
  if (result == cudaSuccess) return;
  tell(what, "fault: " + name_of(result));
  end_case();
}

}  // namespace

void start_probes() {
  use_device();
  void* words = nullptr;
  Counts found{};
  NEED(cudaGetSymbolAddress(&words, own_words));
  launch_write(reinterpret_cast<CUdeviceptr>(words), sizeof own_words, 1);
  launch_read(reinterpret_cast<CUdeviceptr>(words), sizeof own_words, 1);
  NEED(cudaMemcpyToSymbol(counts, &found, sizeof found));
  NEED(cudaMemcpyFromSymbol(&found, counts, sizeof found));
  NEED(cudaDeviceSynchronize());
}

void launch_write(CUdeviceptr memory, size_t bytes, unsigned seed, CUstream stream) {
  const size_t words = bytes / sizeof(unsigned);
  write_words<<<blocks_for(words), kThreads, 0, stream>>>(reinterpret_cast<unsigned*>(memory), words, seed);
  NEED(cudaGetLastError());
}

void launch_read(CUdeviceptr memory, size_t bytes, unsigned seed, CUstream stream) {
  const size_t words = bytes / sizeof(unsigned);
  read_words<<<blocks_for(words), kThreads, 0, stream>>>(reinterpret_cast<const unsigned*>(memory), words,
                                                         seed);
  NEED(cudaGetLastError());
}

void write_on_host(void* memory, size_t bytes, unsigned seed) {
  unsigned* words = static_cast<unsigned*>(memory);
  for (size_t i = 0; i < bytes / sizeof(unsigned); ++i) words[i] = word_at(i, seed);
}

void tell_read(const std::string& what, CUdeviceptr memory, size_t bytes, unsigned seed) {
  Counts found{};
  NEED(cudaMemcpyToSymbol(counts, &found, sizeof found));
  launch_read(memory, bytes, seed);
  need_no_fault(what, cudaDeviceSynchronize());
  NEED(cudaMemcpyFromSymbol(&found, counts, sizeof found));
  tell(what, in_words(found, bytes / sizeof(unsigned)));
}

void tell_write(const std::string& what, CUdeviceptr memory, size_t bytes, unsigned seed) {
  launch_write(memory, bytes, seed);
  need_no_fault(what, cudaDeviceSynchronize());
  tell(what, "no fault");
}

}  // namespace facts
