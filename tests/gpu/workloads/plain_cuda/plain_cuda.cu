// A CUDA program without PyTorch: two streams that wait for each other through events. One does matrix products
// (cuBLAS) with an own kernel between them, the other filters a signal in the frequency domain (cuFFT); then both
// results are added up.
//
// usage: plain_cuda [ITERATIONS]
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cufft.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                             \
  do {                                                                          \
    if (const int status = static_cast<int>(call); status != 0) {               \
      std::fprintf(stderr, "%s:%d: %s gives %d\n", __FILE__, __LINE__, #call, status); \
      std::exit(1);                                                             \
    }                                                                           \
  } while (false)

namespace {

constexpr int kLayers = 12;
constexpr int kWidth = 1024;
constexpr int kRows = 256;
constexpr int kSignal = 1 << 20;
constexpr int kSpectrum = kSignal / 2 + 1;
constexpr int kThreads = 256;

int blocks(int items) { return (items + kThreads - 1) / kThreads; }

__global__ void fill(float* values, int count, float scale) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] = scale * (static_cast<float>((i * 2654435761u) >> 8) / (1 << 24) - 0.5f);
}

__global__ void bias_and_relu(float* values, const float* bias, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] = fmaxf(0.0f, values[i] + bias[i % kWidth]);
}

__global__ void damp(cufftComplex* spectrum, int count, float scale) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float gain = scale * expf(-4.0f * static_cast<float>(i) / static_cast<float>(count));
  spectrum[i].x *= gain;
  spectrum[i].y *= gain;
}

// Computes one sum per block in a fixed order, so that the bits are the same every time.
__global__ void add_up(const float* values, int count, float* sums) {
  __shared__ float part[kThreads];
  float sum = 0;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < count; i += gridDim.x * kThreads) sum += values[i];
  part[threadIdx.x] = sum;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

struct Program {
  cudaStream_t products, filter;
  cudaEvent_t started, filtered;
  cublasHandle_t cublas;
  cufftHandle forward, backward;
  std::vector<float*> weights, biases;
  float *input, *activations[2], *signal, *filtered_signal, *sums;
  cufftComplex* spectrum;

  Program() {
    CHECK(cudaStreamCreateWithFlags(&products, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&filter, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&started, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&filtered, cudaEventDisableTiming));
    CHECK(cublasCreate(&cublas));
    CHECK(cublasSetStream(cublas, products));
    CHECK(cufftPlan1d(&forward, kSignal, CUFFT_R2C, 1));
    CHECK(cufftPlan1d(&backward, kSignal, CUFFT_C2R, 1));
    CHECK(cufftSetStream(forward, filter));
    CHECK(cufftSetStream(backward, filter));
    for (int layer = 0; layer < kLayers; ++layer) {
      weights.push_back(filled(kWidth * kWidth, 0.1f));
      biases.push_back(filled(kWidth, 0.1f));
    }
    input = filled(kRows * kWidth, 1.0f);
    for (float*& each : activations) each = filled(kRows * kWidth, 0.0f);
    signal = filled(kSignal, 1.0f);
    filtered_signal = filled(kSignal, 0.0f);
    sums = filled(2 * kThreads, 0.0f);
    CHECK(cudaMalloc(&spectrum, kSpectrum * sizeof(cufftComplex)));
    CHECK(cudaDeviceSynchronize());
  }

  static float* filled(int count, float scale) {
    float* values = nullptr;
    CHECK(cudaMalloc(&values, count * sizeof(float)));
    fill<<<blocks(count), kThreads>>>(values, count, scale);
    return values;
  }

  void filter_signal() {
    CHECK(cufftExecR2C(forward, signal, spectrum));
    damp<<<blocks(kSpectrum), kThreads, 0, filter>>>(spectrum, kSpectrum, 1.0f / kSignal);
    CHECK(cufftExecC2R(backward, spectrum, filtered_signal));
  }

  float* multiply() {
    const float one = 1, zero = 0;
    const float* from = input;
    float* to = nullptr;
    for (int layer = 0; layer < kLayers; ++layer) {
      to = activations[layer % 2];
      CHECK(cublasSgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, kWidth, kRows, kWidth, &one, weights[layer], kWidth, from,
                        kWidth, &zero, to, kWidth));
      bias_and_relu<<<blocks(kRows * kWidth), kThreads, 0, products>>>(to, biases[layer], kRows * kWidth);
      from = to;
    }
    return to;
  }

  void iterate() {
    CHECK(cudaEventRecord(started, products));
    CHECK(cudaStreamWaitEvent(filter, started, 0));
    filter_signal();
    CHECK(cudaEventRecord(filtered, filter));
    const float* result = multiply();
    add_up<<<kThreads, kThreads, 0, products>>>(result, kRows * kWidth, sums);
    CHECK(cudaStreamWaitEvent(products, filtered, 0));
    add_up<<<kThreads, kThreads, 0, products>>>(filtered_signal, kSignal, sums + kThreads);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGetLastError());
  }
};

}  // namespace

int main(int argc, char** argv) {
  const int iterations = argc > 1 ? std::atoi(argv[1]) : 200;
  Program program;
  for (int i = 0; i < iterations; ++i) program.iterate();
  std::vector<float> sums(2 * kThreads);
  CHECK(cudaMemcpy(sums.data(), program.sums, sums.size() * sizeof(float), cudaMemcpyDeviceToHost));
  double total = 0;
  for (const float sum : sums) total += sum;
  std::printf("sum %g\n", total);
  return 0;
}
