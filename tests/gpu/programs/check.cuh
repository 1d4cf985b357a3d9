// Checked calls, device memory, the checksum and the end of the programs in this folder.
#pragma once
#include <cuda_runtime.h>
#include <errno.h>  // program_invocation_short_name

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

/// Ends the program with exit code 1 and one line on stderr if a CUDA call failed.
#define CHECK(call) check((call), #call, __FILE__, __LINE__)

inline void check(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) return;
  const char* program = program_invocation_short_name;
  const char* reason = cudaGetErrorString(status);
  if (status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver)
    std::fprintf(stderr, "%s: no GPU can be used (%s); an NVIDIA GPU and its driver are needed\n", program,
                 reason);
  else
    std::fprintf(stderr, "%s: %s:%d: %s: %s\n", program, file, line, call, reason);
  std::exit(1);
}

constexpr int kThreads = 256;

/// Device memory that is freed at the end of its scope.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t count) { CHECK(cudaMalloc(&values_, count * sizeof(T))); }
  ~DeviceArray() { CHECK(cudaFree(values_)); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  T* get() const { return values_; }
  operator T*() const { return values_; }

 private:
  T* values_ = nullptr;
};

/// Returns the sum of the first values of device memory. Issues one copy, for which the host waits. A copy of
/// up to 64 KiB is a single device operation, wherever the host memory is.
template <class T>
double checksum(const T* values, size_t count = 1024) {
  std::vector<T> copied(count);
  CHECK(cudaMemcpy(copied.data(), values, count * sizeof(T), cudaMemcpyDeviceToHost));
  return std::accumulate(copied.begin(), copied.end(), 0.0);
}

/// Prints the checksum and returns the exit code of a program that succeeded.
inline int finish(double sum) {
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  std::printf("checksum %.9g\n", sum);
  return 0;
}
