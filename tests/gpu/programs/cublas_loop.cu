// 50 iterations of two cuBLAS products of different shapes, in single precision.
#include <cublas_v2.h>

#include "check.cuh"

namespace {

// Large results with few terms each: a product that cuBLAS has no reason to split into several kernels.
constexpr int kWide = 4096, kTall = 2048, kTerms = 256;
constexpr int kCount = kWide * kTall;

__global__ void fill(float* values) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] = static_cast<float>(i % 5 - 2) / kTerms;
}

void check_blas(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  std::fprintf(stderr, "cublas_loop.cu: %s: %s\n", call, cublasGetStatusString(status));
  std::exit(1);
}

/// Computes c = a * b with these numbers of rows and columns.
void multiply(cublasHandle_t blas, int rows, int columns, const float* a, const float* b, float* c) {
  const float one = 1, zero = 0;
  check_blas(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, rows, columns, kTerms, &one, a, rows, b, kTerms,
                         &zero, c, rows),
             "cublasSgemm");
}

}  // namespace

int main() {
  const DeviceArray<float> a(kCount), b(kCount), c(kCount);
  cublasHandle_t blas{};
  check_blas(cublasCreate(&blas), "cublasCreate");
  fill<<<kCount / kThreads, kThreads>>>(a);
  CHECK(cudaMemcpyAsync(b, a, kCount * sizeof(float), cudaMemcpyDeviceToDevice));
  for (int i = 0; i < 50; ++i) {
    multiply(blas, kTall, kTall, a, b, c);
    multiply(blas, kWide, kTall, a, b, c);
  }
  CHECK(cudaGetLastError());
  const double sum = checksum<float>(c);
  check_blas(cublasDestroy(blas), "cublasDestroy");
  return finish(sum);
}
