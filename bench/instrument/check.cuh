// CHECK(call) ends the program, and says where, when a call of the CUDA runtime or of the driver has failed. Both number the same errors
// alike.
#pragma once
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                    \
  do {                                                                                                 \
    if (const auto error_ = static_cast<cudaError_t>(call); error_ != cudaSuccess) {                   \
      std::fprintf(stderr, "%s: %s (%s:%d)\n", #call, cudaGetErrorString(error_), __FILE__, __LINE__); \
      std::exit(1);                                                                                    \
    }                                                                                                  \
  } while (false)
