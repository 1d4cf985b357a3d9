// A graph whose kernels take time, and buffers for CUPTI's activity records.
#pragma once
#include <cuda_runtime.h>
#include <cupti.h>

#include <cstdlib>

#include "facts.hpp"

namespace facts {

constexpr int kKernels = 10;     ///< kernels of a graph
constexpr int kUpdates = 20000;  ///< updates of a kernel, about 0.1 ms

static __global__ void spin(float* value) {
  for (int i = 0; i < kUpdates; ++i) *value = *value * 0.5f + 1;
}

inline cudaGraphExec_t captured_spins(cudaStream_t stream, float* value) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  NEED(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < kKernels; ++i) spin<<<1, 1, 0, stream>>>(value);
  NEED(cudaStreamEndCapture(stream, &graph));
  NEED(cudaGraphInstantiate(&executable, graph, 0));
  return executable;
}

inline void CUPTIAPI give_buffer(uint8_t** buffer, size_t* bytes, size_t* most_records) {
  constexpr size_t kBufferBytes = 1 << 20;
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, kBufferBytes));
  *bytes = kBufferBytes;
  *most_records = 0;
}

}  // namespace facts
