// A program with many launches, like a network. For each number that it reads from REQUESTS, it makes this
// number of passes and writes their times in us as a JSON list to ANSWERS. A pass is kSteps steps of
// kLaunches launches each, with a wait at the end of each step.
//
// usage: launches REQUESTS ANSWERS KERNEL_US (both are FIFOs; ends at the number 0)
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "../programs/check.cuh"

namespace {

constexpr int kSteps = 10;
constexpr int kLaunches = 100;  ///< launches of a step
constexpr int kWords = 1 << 12;

/// Runs for `ns` nanoseconds; 0: as short as a kernel can be.
template <int kernel>
__global__ void work(float* out, const float* in, const float* weights, const float* bias, int count, float scale, long long ns) {
  long long now = 0, begin = 0;
  if (ns > 0) asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  while (ns > 0 && now - begin < ns) asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  const int i = threadIdx.x;
  if (i < count) out[i] = scale * in[i] + weights[i] + bias[i] + kernel;
}

class Network {
 public:
  explicit Network(long long kernel_ns) : kernel_ns_(kernel_ns), memory_(kPieces * kWords) {
    CHECK(cudaStreamCreate(&stream_));
    CHECK(cudaMemset(memory_, 0, sizeof(float) * kPieces * kWords));
    CHECK(cudaDeviceSynchronize());
  }

  void step() const {
    for (int i = 0; i < kLaunches; i += 4) {
      launch<0>(i);
      launch<1>(i + 1);
      launch<2>(i + 2);
      launch<3>(i + 3);
    }
    CHECK(cudaStreamSynchronize(stream_));
  }

 private:
  static constexpr int kPieces = kLaunches + 3;

  template <int kernel>
  void launch(int i) const {
    const float* piece = memory_ + static_cast<size_t>(i) * kWords;
    float* buffers = memory_ + static_cast<size_t>(kLaunches) * kWords;
    work<kernel><<<1, kThreads, 0, stream_>>>(buffers + i % 2 * kWords, buffers + (i + 1) % 2 * kWords, piece, piece + kThreads, kThreads,
                                              0.5f, kernel_ns_);
  }

  long long kernel_ns_;
  DeviceArray<float> memory_;
  cudaStream_t stream_ = nullptr;
};

double pass_us(const Network& network) {
  const auto begin = std::chrono::steady_clock::now();
  for (int step = 0; step < kSteps; ++step) network.step();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

void play(const Network& network, int passes, std::ofstream& answers) {
  for (int i = 0; i < passes; ++i) answers << (i == 0 ? "[" : ", ") << pass_us(network);
  answers << "]" << std::endl;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::fprintf(stderr, "usage: launches REQUESTS ANSWERS KERNEL_US\n");
    return 2;
  }
  const Network network(static_cast<long long>(1000 * std::atof(arguments[3])));
  std::ifstream requests(arguments[1]);
  std::ofstream answers(arguments[2]);
  for (int passes = 0; requests >> passes && passes > 0;) play(network, passes, answers);
  return 0;
}
