// Copies from pinned memory whose source is written after the copy was issued, or just before it runs, so
// that the copy sends other values than the host saw when it issued the copy. Each iteration sends other
// values, and its results depend on them.
//
// usage: sent_later bounce|filled|double [ITERATIONS]    ITERATIONS is 20,000 by default
//
//   bounce   a copy to the host writes the source, and the copy from it follows in the same stream
//   filled   a host function in the same stream writes the source
//   double   there are two buffers, and the host overwrites one as soon as its copy has run
#include <algorithm>
#include <cstring>
#include <string>

#include "../../programs/check.cuh"

namespace {

constexpr int kCount = 1 << 18;

__global__ void produce(float* values, const float* before) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] = 0.5f * before[i] + 1e-3f * (i % 1000);
}

__global__ void consume(float* results, const float* received) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  results[i] = 0.9f * results[i] + received[i];
}

struct Filling {
  float* values;
  int iterations = 0;
};

void fill(void* filling) {
  auto& of = *static_cast<Filling*>(filling);
  std::fill_n(of.values, kCount, static_cast<float>(++of.iterations % 1009));
}

float* pinned() {
  float* values = nullptr;
  CHECK(cudaMallocHost(&values, kCount * sizeof(float)));
  std::memset(values, 0, kCount * sizeof(float));
  return values;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string way = argc > 1 ? argv[1] : "bounce";
  const int iterations = argc > 2 ? std::atoi(argv[2]) : 20000;
  constexpr size_t kBytes = kCount * sizeof(float);
  constexpr int kBlocks = kCount / kThreads;
  DeviceArray<float> made(kCount), received(kCount), results(kCount);
  for (float* values : {made.get(), received.get(), results.get()}) CHECK(cudaMemset(values, 0, kBytes));
  float* sources[] = {pinned(), pinned()};
  Filling filling{sources[0]};
  cudaEvent_t sent[2];
  for (cudaEvent_t& event : sent) CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  for (int i = 0; i < iterations; ++i) {
    float* source = sources[0];
    produce<<<kBlocks, kThreads, 0, stream>>>(made, results);
    if (way == "bounce") CHECK(cudaMemcpyAsync(source, made, kBytes, cudaMemcpyDeviceToHost, stream));
    if (way == "filled") CHECK(cudaLaunchHostFunc(stream, fill, &filling));
    if (way == "double") {
      source = sources[i % 2];
      CHECK(cudaEventSynchronize(sent[i % 2]));
      std::fill_n(source, kCount, static_cast<float>(i % 1009));
    }
    CHECK(cudaMemcpyAsync(received, source, kBytes, cudaMemcpyHostToDevice, stream));
    CHECK(cudaEventRecord(sent[i % 2], stream));
    consume<<<kBlocks, kThreads, 0, stream>>>(results, received);
    if (i % 8 == 7) CHECK(cudaStreamSynchronize(stream));
  }
  CHECK(cudaStreamSynchronize(stream));
  return finish(checksum(results.get()));
}
