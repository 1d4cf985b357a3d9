// Two streams in which the host never waits: cuBLAS products and the norms of their values in one, CUB's
// sorting and sums in the other. Each uses results of the other stream, ordered by events.
//
// usage: two_queues [ROUNDS]    ROUNDS is 18,000 by default; each takes about 4 ms
#include <cublas_v2.h>

#include <cstdint>
#include <cub/cub.cuh>
#include <cuda/std/functional>

#include "../../../programs/check.cuh"

namespace {

constexpr int kSide = 3072;
constexpr int kValues = kSide * kSide;
constexpr int kKeys = 1 << 25;
constexpr int kExchanged = 8;  // rounds between two exchanges of the streams

void check_cublas(cublasStatus_t status, int line) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  std::fprintf(stderr, "two_queues: line %d: cuBLAS returns %d\n", line, static_cast<int>(status));
  std::exit(1);
}

#define CHECK_CUBLAS(call) check_cublas(call, __LINE__)

__global__ void begin_matrix(float* values, unsigned seed) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] = static_cast<float>((i * 2654435761u + seed) >> 8) / (1 << 24) - 0.5f;
}

__global__ void begin_keys(uint32_t* keys) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  keys[i] = i * 2654435761u;
}

/// Divides by what keeps the product's values in range, and adds a little of another matrix.
__global__ void normalize(float* values, const float* other) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] = tanhf(values[i] * 0.06f) + 0.05f * other[i];
}

/// Makes new keys of sorted ones; `salt` is a value that the device computed.
__global__ void shuffle(const uint32_t* sorted, uint32_t* keys, const unsigned long long* salt) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t x = sorted[i] ^ i ^ static_cast<uint32_t>(*salt);
  x = (x ^ (x >> 16)) * 0x85ebca6bu;
  keys[i] = x ^ (x >> 13);
}

/// Lets the sorted keys disturb the matrix.
__global__ void disturb(float* values, const uint32_t* sorted) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] += 1e-3f * (static_cast<float>(sorted[i] & 1023) / 1024 - 0.5f);
}

struct Widened {
  __host__ __device__ unsigned long long operator()(uint32_t key) const { return key; }
};

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 18000;
  cudaStream_t products{}, orders{};
  CHECK(cudaStreamCreateWithFlags(&products, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&orders, cudaStreamNonBlocking));
  cudaEvent_t multiplied{}, sorted_now{};
  CHECK(cudaEventCreateWithFlags(&multiplied, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&sorted_now, cudaEventDisableTiming));
  cublasHandle_t cublas{};
  CHECK_CUBLAS(cublasCreate(&cublas));
  CHECK_CUBLAS(cublasSetStream(cublas, products));

  const DeviceArray<float> a(kValues), b(kValues), c(kValues);
  const DeviceArray<uint32_t> keys(kKeys), sorted(kKeys);
  const DeviceArray<unsigned long long> sum(1);
  const auto add_up = [&](void* room, size_t& bytes) {
    return cub::DeviceReduce::TransformReduce(room, bytes, sorted.get(), sum.get(), kKeys,
                                              cuda::std::plus<>{}, Widened{}, 0ull, orders);
  };
  size_t for_sort = 0, for_sum = 0;
  CHECK(cub::DeviceRadixSort::SortKeys(nullptr, for_sort, keys.get(), sorted.get(), kKeys));
  CHECK(add_up(nullptr, for_sum));
  const DeviceArray<char> sort_room(for_sort), sum_room(for_sum);
  begin_matrix<<<kValues / kThreads, kThreads>>>(a, 1);
  begin_matrix<<<kValues / kThreads, kThreads>>>(b, 2);
  begin_keys<<<kKeys / kThreads, kThreads>>>(keys);
  CHECK(cudaDeviceSynchronize());  // only before the loop

  const float one = 1, zero = 0;
  float *from = a, *to = c;
  for (int round = 0; round < rounds; ++round) {
    CHECK_CUBLAS(cublasSgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, kSide, kSide, kSide, &one, from, kSide, b,
                             kSide, &zero, to, kSide));
    normalize<<<kValues / kThreads, kThreads, 0, products>>>(to, from);
    std::swap(from, to);

    CHECK(cub::DeviceRadixSort::SortKeys(sort_room.get(), for_sort, keys.get(), sorted.get(), kKeys, 0, 32,
                                         orders));
    CHECK(add_up(sum_room.get(), for_sum));
    if (round % kExchanged == kExchanged - 1) {
      CHECK(cudaEventRecord(sorted_now, orders));
      CHECK(cudaStreamWaitEvent(products, sorted_now));
      disturb<<<kValues / kThreads, kThreads, 0, products>>>(from, sorted);
      CHECK(cudaEventRecord(multiplied, products));
      CHECK(cudaStreamWaitEvent(orders, multiplied));
    }
    shuffle<<<kKeys / kThreads, kThreads, 0, orders>>>(sorted, keys, sum);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaDeviceSynchronize());
  const double result = checksum<float>(from) + checksum<uint32_t>(sorted);
  CHECK_CUBLAS(cublasDestroy(cublas));
  CHECK(cudaEventDestroy(multiplied));
  CHECK(cudaEventDestroy(sorted_now));
  CHECK(cudaStreamDestroy(products));
  CHECK(cudaStreamDestroy(orders));
  return finish(result);
}
