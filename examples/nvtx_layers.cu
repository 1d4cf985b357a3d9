// A program that marks each of its layers with an NVTX range, within an outer range "step":
//
//   nvcc -O2 -o nvtx_layers examples/nvtx_layers.cu && kjoule layers --range step -- ./nvtx_layers
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

__global__ void scale(float* values, int count, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] *= factor;
}

__global__ void blur(const float* from, float* to, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i + 1 < count) to[i] = (from[i - 1] + from[i] + from[i + 1]) / 3;
}

int main() {
  constexpr int kCount = 1 << 24;
  float *values = nullptr, *blurred = nullptr;
  if (cudaMalloc(&values, kCount * sizeof(float)) != cudaSuccess) return 1;
  if (cudaMalloc(&blurred, kCount * sizeof(float)) != cudaSuccess) return 1;
  for (int step = 0; step < 20000; ++step) {
    nvtxRangePushA("step");
    nvtxRangePushA("scale");
    scale<<<kCount / 256, 256>>>(values, kCount, 0.5f);
    nvtxRangePop();
    for (int layer = 0; layer < 2; ++layer) {
      nvtxRangePushA("blur");
      blur<<<kCount / 256, 256>>>(values, blurred, kCount);
      nvtxRangePop();
    }
    cudaDeviceSynchronize();
    nvtxRangePop();
  }
  return 0;
}
