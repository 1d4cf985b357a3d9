// Two threads that launch at the same time, each into a stream of its own: one blurs an image, the other one
// sorts numbers in blocks. They meet after each iteration, where one of them adds up both results.
//
// usage: two_threads [ITERATIONS]
#include <barrier>
#include <thread>

#include "program.cuh"

namespace {

constexpr int kSide = 2048;
constexpr int64_t kPixels = int64_t{kSide} * kSide;
constexpr int64_t kNumbers = 1 << 20;

__global__ void blur(const float* from, float* to, int step) {
  const int64_t i = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  const int64_t before = i >= step ? i - step : i, after = i + step < kPixels ? i + step : i;
  to[i] = 0.25F * from[before] + 0.5F * from[i] + 0.25F * from[after];
}

/// Sorts 512 numbers in each block, by odd and even steps.
__global__ void sort_blocks(float* numbers) {
  __shared__ float own[2 * kThreads];
  float* mine = numbers + blockIdx.x * int64_t{2 * kThreads};
  own[threadIdx.x] = mine[threadIdx.x];
  own[threadIdx.x + kThreads] = mine[threadIdx.x + kThreads];
  for (int round = 0; round < 2 * kThreads; ++round) {
    __syncthreads();
    const int at = 2 * static_cast<int>(threadIdx.x) + round % 2;
    if (at + 1 < 2 * kThreads && own[at] > own[at + 1]) {
      const float larger = own[at];
      own[at] = own[at + 1];
      own[at + 1] = larger;
    }
  }
  __syncthreads();
  mine[threadIdx.x] = own[threadIdx.x];
  mine[threadIdx.x + kThreads] = own[threadIdx.x + kThreads];
}

__global__ void add_up(const float* pixels, const float* numbers, float* total) {
  const int64_t i = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  if (i < kNumbers) total[i] = 0.5F * total[i] + pixels[i] + numbers[i];
}

cudaStream_t own_stream() {
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

}  // namespace

int main(int argc, char** argv) {
  const int count = iterations(argc, argv);
  float* image = random_values(kPixels, 0, 1, 1);
  float* blurred = zeros<float>(kPixels);
  float* numbers = zeros<float>(kNumbers);
  float* total = zeros<float>(kNumbers);
  CHECK(cudaDeviceSynchronize());
  std::barrier both(2);
  std::thread sorter([&] {
    cudaStream_t stream = own_stream();
    for (int i = 0; i < count; ++i) {
      fill<<<blocks(kNumbers), kThreads, 0, stream>>>(numbers, kNumbers, 0, 1, 5);
      sort_blocks<<<kNumbers / (2 * kThreads), kThreads, 0, stream>>>(numbers);
      CHECK(cudaStreamSynchronize(stream));
      both.arrive_and_wait();
      both.arrive_and_wait();
    }
  });
  cudaStream_t stream = own_stream();
  for (int i = 0; i < count; ++i) {
    for (const int step : {1, kSide, 2, 2 * kSide}) {
      blur<<<blocks(kPixels), kThreads, 0, stream>>>(image, blurred, step);
      blur<<<blocks(kPixels), kThreads, 0, stream>>>(blurred, image, step);
    }
    CHECK(cudaStreamSynchronize(stream));
    both.arrive_and_wait();
    add_up<<<blocks(kNumbers), kThreads, 0, stream>>>(image, numbers, total);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
    both.arrive_and_wait();
  }
  sorter.join();
  return ended_with(first_of(total));
}
