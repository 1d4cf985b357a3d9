// A captured graph of 6 kernels that is launched 100 times.
#include "check.cuh"

namespace {

constexpr int kCount = 1 << 18;
constexpr int kBlocks = kCount / kThreads;

__global__ void fill(float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = i % 3;
  y[i] = 1;
}

__global__ void kick(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] -= 0.01f * x[i];
}

__global__ void drift(float* x, const float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] += 0.01f * y[i];
}

cudaGraphExec_t capture(float* x, float* y, cudaStream_t stream) {
  cudaGraph_t graph{};
  cudaGraphExec_t executable{};
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < 3; ++i) {
    kick<<<kBlocks, kThreads, 0, stream>>>(x, y);
    drift<<<kBlocks, kThreads, 0, stream>>>(x, y);
  }
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  return executable;
}

}  // namespace

int main() {
  const DeviceArray<float> x(kCount), y(kCount);
  cudaStream_t stream{};
  CHECK(cudaStreamCreate(&stream));
  fill<<<kBlocks, kThreads, 0, stream>>>(x, y);
  const cudaGraphExec_t graph = capture(x, y, stream);
  for (int i = 0; i < 100; ++i) CHECK(cudaGraphLaunch(graph, stream));
  CHECK(cudaStreamSynchronize(stream));
  const double sum = checksum<float>(x);
  CHECK(cudaGraphExecDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  return finish(sum);
}
