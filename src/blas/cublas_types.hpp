#pragma once
// The part of cuBLAS and cuBLASLt that this program calls, declared here so that neither their headers nor
// their libraries are needed when kjoule is built. Functions, structs and values are those that the headers
// of CUDA 13.0 declare (library_types.h, cublas_api.h, cublasLt.h); they are the same since CUDA 11.

#include <cuda.h>

#include <cstddef>
#include <cstdint>

namespace kjoule::blas {

using CublasStatus = int;  ///< cublasStatus_t
inline constexpr CublasStatus kCublasSuccess = 0, kCublasNotSupported = 15;

/// cudaDataType_t
enum class DataType : int {
  float32 = 0,
  float64 = 1,
  float16 = 2,
  int8 = 3,
  int32 = 10,
  bfloat16 = 14,
  float8_e4m3 = 28,
  float8_e5m2 = 29
};

/// cublasComputeType_t
enum class ComputeType : int { float16 = 64, float32 = 68, float64 = 70, int32 = 72, tf32 = 77 };

/// cublasOperation_t
enum class Operation : int { none = 0, transpose = 1 };

inline constexpr int kDefaultGemmAlgorithm = -1;  ///< CUBLAS_GEMM_DEFAULT

/// cublasLtMatmulDescAttributes_t
enum class MatmulAttribute : int { transpose_a = 3, transpose_b = 4, epilogue = 7, bias_pointer = 8 };
/// cublasLtMatrixLayoutAttribute_t
enum class LayoutAttribute : int { batch_count = 5, batch_stride = 6 };
inline constexpr int kMaxWorkspaceBytes = 1;  ///< CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES

/// cublasLtEpilogue_t without a bias; an activation with a bias is the sum of both values
enum class Epilogue : uint32_t { none = 1, relu = 2, gelu = 32 };
inline constexpr uint32_t kBiasEpilogue = 4;

/// cublasLtMatmulAlgo_t
struct MatmulAlgorithm {
  uint64_t data[8];
};
/// cublasLtMatmulHeuristicResult_t
struct HeuristicResult {
  MatmulAlgorithm algorithm;
  size_t workspace_bytes;
  CublasStatus state;
  float waves;
  int reserved[4];
};

using CublasHandle = void*;       ///< cublasHandle_t; cublasLtMatmul() accepts it as a cublasLtHandle_t
using MatmulDescription = void*;  ///< cublasLtMatmulDesc_t
using MatrixLayout = void*;       ///< cublasLtMatrixLayout_t
using MatmulPreference = void*;   ///< cublasLtMatmulPreference_t

/// Functions of libcublas.
struct CublasFunctions {
  CublasStatus (*cublasCreate_v2)(CublasHandle*) = nullptr;
  CublasStatus (*cublasSetStream_v2)(CublasHandle, CUstream) = nullptr;
  CublasStatus (*cublasSetWorkspace_v2)(CublasHandle, void*, size_t) = nullptr;
  CublasStatus (*cublasGemmEx)(CublasHandle, Operation, Operation, int m, int n, int k, const void* alpha,
                               const void* a, DataType, int lda, const void* b, DataType, int ldb,
                               const void* beta, void* c, DataType, int ldc, ComputeType,
                               int algorithm) = nullptr;
  CublasStatus (*cublasGemmStridedBatchedEx)(CublasHandle, Operation, Operation, int m, int n, int k,
                                             const void* alpha, const void* a, DataType, int lda,
                                             long long stride_a, const void* b, DataType, int ldb,
                                             long long stride_b, const void* beta, void* c, DataType, int ldc,
                                             long long stride_c, int batch, ComputeType,
                                             int algorithm) = nullptr;
};

/// Functions of libcublasLt.
struct CublasLtFunctions {
  CublasStatus (*cublasLtMatmulDescCreate)(MatmulDescription*, ComputeType, DataType scale) = nullptr;
  CublasStatus (*cublasLtMatmulDescDestroy)(MatmulDescription) = nullptr;
  CublasStatus (*cublasLtMatmulDescSetAttribute)(MatmulDescription, MatmulAttribute, const void*,
                                                 size_t) = nullptr;
  CublasStatus (*cublasLtMatrixLayoutCreate)(MatrixLayout*, DataType, uint64_t rows, uint64_t columns,
                                             int64_t ld) = nullptr;
  CublasStatus (*cublasLtMatrixLayoutDestroy)(MatrixLayout) = nullptr;
  CublasStatus (*cublasLtMatrixLayoutSetAttribute)(MatrixLayout, LayoutAttribute, const void*,
                                                   size_t) = nullptr;
  CublasStatus (*cublasLtMatmulPreferenceCreate)(MatmulPreference*) = nullptr;
  CublasStatus (*cublasLtMatmulPreferenceDestroy)(MatmulPreference) = nullptr;
  CublasStatus (*cublasLtMatmulPreferenceSetAttribute)(MatmulPreference, int, const void*, size_t) = nullptr;
  CublasStatus (*cublasLtMatmulAlgoGetHeuristic)(CublasHandle, MatmulDescription, MatrixLayout a,
                                                 MatrixLayout b, MatrixLayout c, MatrixLayout d,
                                                 MatmulPreference, int requested, HeuristicResult*,
                                                 int* returned) = nullptr;
  CublasStatus (*cublasLtMatmul)(CublasHandle, MatmulDescription, const void* alpha, const void* a,
                                 MatrixLayout, const void* b, MatrixLayout, const void* beta, const void* c,
                                 MatrixLayout, void* d, MatrixLayout, const MatmulAlgorithm*, void* workspace,
                                 size_t bytes, CUstream) = nullptr;
};

}  // namespace kjoule::blas
