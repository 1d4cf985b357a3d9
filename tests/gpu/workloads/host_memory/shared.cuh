// The code that the programs in this folder share: page-locked memory, streams, events, numbers that the host
// generates, and a fingerprint that depends on every bit of its input.
#pragma once
#include <cstdint>

#include "../../programs/check.cuh"

/// Page-locked host memory, freed at the end of its scope.
template <class T>
class PinnedArray {
 public:
  explicit PinnedArray(size_t count, unsigned flags = cudaHostAllocDefault) {
    CHECK(cudaHostAlloc(&values_, count * sizeof(T), flags));
  }
  ~PinnedArray() { CHECK(cudaFreeHost(values_)); }
  PinnedArray(const PinnedArray&) = delete;
  PinnedArray& operator=(const PinnedArray&) = delete;
  T* get() const { return values_; }
  operator T*() const { return values_; }

 private:
  T* values_ = nullptr;
};

/// A stream that does not wait for the default stream.
class Stream {
 public:
  Stream() { CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { CHECK(cudaStreamDestroy(stream_)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  explicit Event(unsigned flags = cudaEventDisableTiming) { CHECK(cudaEventCreateWithFlags(&event_, flags)); }
  ~Event() { CHECK(cudaEventDestroy(event_)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  operator cudaEvent_t() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Returns a hash of a word; different words have different hashes.
__host__ __device__ inline uint32_t mixed(uint32_t x) {
  x = (x ^ (x >> 16)) * 0x85ebca6bu;
  x = (x ^ (x >> 13)) * 0xc2b2ae35u;
  return x ^ (x >> 16);
}

/// Returns a number from -0.5 to 0.5.
__host__ __device__ inline float number(uint32_t x) {
  return static_cast<int32_t>(x) * 0x1p-32f;
}

/// Fills the values with numbers that the host generates.
inline void fill(float* values, size_t count, uint32_t seed) {
  const uint32_t begin = mixed(seed);
  for (size_t i = 0; i < count; ++i) {
    const uint32_t x = (static_cast<uint32_t>(i) ^ begin) * 2654435761u;
    values[i] = number((x ^ (x >> 15)) * 0x85ebca6bu);
  }
}

constexpr int kSlots = 1024;

static __global__ void add_to_slots(const uint32_t* words, size_t count, uint32_t* slots) {
  __shared__ uint32_t sums[kThreads];
  uint32_t sum = 0;
  for (size_t i = blockIdx.x * size_t{kThreads} + threadIdx.x; i < count; i += size_t{kSlots} * kThreads)
    sum += mixed(words[i] ^ (static_cast<uint32_t>(i) * 2654435761u));
  sums[threadIdx.x] = sum;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) slots[blockIdx.x] = slots[blockIdx.x] * 0x9e3779b1u + sums[0];
}

/// A value that depends on every bit, position and order of all added data.
class Fingerprint {
 public:
  Fingerprint() { CHECK(cudaMemset(slots_, 0, kSlots * sizeof(uint32_t))); }

  template <class T>
  void add(const T* values, size_t count, cudaStream_t stream = nullptr) {
    add_to_slots<<<kSlots, kThreads, 0, stream>>>(reinterpret_cast<const uint32_t*>(values),
                                                  count * sizeof(T) / sizeof(uint32_t), slots_);
    CHECK(cudaGetLastError());
  }

  /// Waits for the device.
  double sum() const {
    CHECK(cudaDeviceSynchronize());
    return checksum<uint32_t>(slots_, kSlots);
  }

 private:
  DeviceArray<uint32_t> slots_{kSlots};
};
