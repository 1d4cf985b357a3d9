// Stand-in for cuBLAS. float16, bfloat16 and float32 products use a kernel with blocks of 128 x 64 elements;
// float16 products with one row use a gemv kernel. Other types are not supported.

#include "launch.hpp"

using namespace stand_in;

namespace {

struct Handle {
  CUstream stream = nullptr;
};

CublasStatus choose(const Product& product) {
  switch (product.in) {
    case DataType::float16:
      if (product.n == 1 && product.a == Operation::transpose)
        return multiply(product, "gemv2T_kernel_val", 8, 1, 1);
      return multiply(product, "ampere_fp16_s16816gemm_fp16_128x64", 128, 64, 1);
    case DataType::bfloat16:
      return multiply(product, "ampere_bf16_s16816gemm_bf16_128x64", 128, 64, 1);
    case DataType::float32:
      return multiply(product, "ampere_sgemm_128x64", 128, 64, 1);
    default:
      return kjoule::blas::kCublasNotSupported;
  }
}

}  // namespace

CUBLAS cublasCreate_v2(CublasHandle* handle) {
  CUcontext context = nullptr;
  if (cuCtxGetCurrent(&context) != CUDA_SUCCESS || context == nullptr) return kNotInitialized;
  *handle = new Handle;
  return kCublasSuccess;
}

/// Reports version 13.1.2. `part` is 0, 1 or 2.
CUBLAS cublasGetProperty(int part, int* value) {
  *value = part == 0 ? 13 : part;
  return kCublasSuccess;
}

CUBLAS cublasSetStream_v2(CublasHandle handle, CUstream stream) {
  static_cast<Handle*>(handle)->stream = stream;
  return kCublasSuccess;
}

CUBLAS cublasSetWorkspace_v2(CublasHandle, void* workspace, size_t) {
  return workspace == nullptr ? kInvalidValue : kCublasSuccess;
}

CUBLAS cublasGemmStridedBatchedEx(CublasHandle handle, Operation op_a, Operation op_b, int m, int n, int k,
                                  const void*, const void* a, DataType in, int lda, long long, const void* b,
                                  DataType, int ldb, long long, const void*, void* c, DataType out, int ldc,
                                  long long, int batch, ComputeType, int) {
  if (lda < (op_a == Operation::none ? m : k) || ldb < (op_b == Operation::none ? k : n) || ldc < m)
    return kInvalidValue;
  return choose({op_a, op_b, m, n, k, batch, in, out, a, b, c, static_cast<Handle*>(handle)->stream});
}

CUBLAS cublasGemmEx(CublasHandle handle, Operation op_a, Operation op_b, int m, int n, int k,
                    const void* alpha, const void* a, DataType in, int lda, const void* b, DataType in_b,
                    int ldb, const void* beta, void* c, DataType out, int ldc, ComputeType compute,
                    int algorithm) {
  return cublasGemmStridedBatchedEx(handle, op_a, op_b, m, n, k, alpha, a, in, lda, 0, b, in_b, ldb, 0, beta,
                                    c, out, ldc, 0, 1, compute, algorithm);
}
