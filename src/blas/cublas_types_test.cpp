#include "blas/cublas_types.hpp"

#include <gtest/gtest.h>

#if __has_include(<cublasLt.h>)
#include <cublasLt.h>
#include <cublas_v2.h>
#define KJOULE_HAS_CUBLAS_HEADERS 1
#endif

namespace kjoule::blas {
namespace {

#ifdef KJOULE_HAS_CUBLAS_HEADERS

template <class Ours, class Theirs>
constexpr bool equal(Ours ours, Theirs theirs) {
  return static_cast<int64_t>(ours) == static_cast<int64_t>(theirs);
}

static_assert(equal(kCublasSuccess, CUBLAS_STATUS_SUCCESS));
static_assert(equal(kCublasNotSupported, CUBLAS_STATUS_NOT_SUPPORTED));
static_assert(equal(DataType::float32, CUDA_R_32F));
static_assert(equal(DataType::float64, CUDA_R_64F));
static_assert(equal(DataType::float16, CUDA_R_16F));
static_assert(equal(DataType::int8, CUDA_R_8I));
static_assert(equal(DataType::int32, CUDA_R_32I));
static_assert(equal(DataType::bfloat16, CUDA_R_16BF));
static_assert(equal(DataType::float8_e4m3, CUDA_R_8F_E4M3));
static_assert(equal(DataType::float8_e5m2, CUDA_R_8F_E5M2));
static_assert(equal(ComputeType::float16, CUBLAS_COMPUTE_16F));
static_assert(equal(ComputeType::float32, CUBLAS_COMPUTE_32F));
static_assert(equal(ComputeType::float64, CUBLAS_COMPUTE_64F));
static_assert(equal(ComputeType::int32, CUBLAS_COMPUTE_32I));
static_assert(equal(ComputeType::tf32, CUBLAS_COMPUTE_32F_FAST_TF32));
static_assert(equal(Operation::none, CUBLAS_OP_N));
static_assert(equal(Operation::transpose, CUBLAS_OP_T));
static_assert(equal(kDefaultGemmAlgorithm, CUBLAS_GEMM_DEFAULT));
static_assert(equal(MatmulAttribute::transpose_a, CUBLASLT_MATMUL_DESC_TRANSA));
static_assert(equal(MatmulAttribute::transpose_b, CUBLASLT_MATMUL_DESC_TRANSB));
static_assert(equal(MatmulAttribute::epilogue, CUBLASLT_MATMUL_DESC_EPILOGUE));
static_assert(equal(MatmulAttribute::bias_pointer, CUBLASLT_MATMUL_DESC_BIAS_POINTER));
static_assert(equal(LayoutAttribute::batch_count, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT));
static_assert(equal(LayoutAttribute::batch_stride, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET));
static_assert(equal(kMaxWorkspaceBytes, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES));
static_assert(equal(Epilogue::none, CUBLASLT_EPILOGUE_DEFAULT));
static_assert(equal(Epilogue::relu, CUBLASLT_EPILOGUE_RELU));
static_assert(equal(Epilogue::gelu, CUBLASLT_EPILOGUE_GELU));
static_assert(equal(kBiasEpilogue, CUBLASLT_EPILOGUE_BIAS));
static_assert(equal(static_cast<uint32_t>(Epilogue::relu) | kBiasEpilogue, CUBLASLT_EPILOGUE_RELU_BIAS));
static_assert(equal(static_cast<uint32_t>(Epilogue::gelu) | kBiasEpilogue, CUBLASLT_EPILOGUE_GELU_BIAS));
static_assert(sizeof(MatmulAlgorithm) == sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(HeuristicResult) == sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(HeuristicResult, workspace_bytes) ==
              offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(offsetof(HeuristicResult, state) == offsetof(cublasLtMatmulHeuristicResult_t, state));

/// True if a function of the headers can be called through the type that kjoule declares: the parameters have
/// the same number and sizes, and pointers are in the same places.
template <class Ours, class Theirs>
struct SameCall : std::false_type {};
template <class... Ours, class... Theirs>
requires(sizeof...(Ours) ==
         sizeof...(Theirs)) struct SameCall<CublasStatus (*)(Ours...), cublasStatus_t (*)(Theirs...)>
    : std::bool_constant<((sizeof(Ours) == sizeof(Theirs) &&
                           std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>)&&...)> {
};

#define KJOULE_SAME_CALL(functions, name) \
  static_assert(SameCall<decltype(functions::name), std::add_pointer_t<decltype(::name)>>::value)
KJOULE_SAME_CALL(CublasFunctions, cublasCreate_v2);
KJOULE_SAME_CALL(CublasFunctions, cublasSetStream_v2);
KJOULE_SAME_CALL(CublasFunctions, cublasSetWorkspace_v2);
// The C++ headers overload these two functions with another type for the multiplication.
constexpr cublasStatus_t (*kGemmEx)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                                    const void*, const void*, cudaDataType, int, const void*, cudaDataType,
                                    int, const void*, void*, cudaDataType, int, cublasComputeType_t,
                                    cublasGemmAlgo_t) = &::cublasGemmEx;
static_assert(
    SameCall<decltype(CublasFunctions::cublasGemmEx), std::remove_const_t<decltype(kGemmEx)>>::value);
constexpr cublasStatus_t (*kBatchedEx)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                                       const void*, const void*, cudaDataType, int, long long, const void*,
                                       cudaDataType, int, long long, const void*, void*, cudaDataType, int,
                                       long long, int, cublasComputeType_t,
                                       cublasGemmAlgo_t) = &::cublasGemmStridedBatchedEx;
static_assert(SameCall<decltype(CublasFunctions::cublasGemmStridedBatchedEx),
                       std::remove_const_t<decltype(kBatchedEx)>>::value);
KJOULE_SAME_CALL(CublasLtFunctions, cublasLtMatmulDescCreate);
KJOULE_SAME_CALL(CublasLtFunctions, cublasLtMatmulDescDestroy);
KJOULE_SAME_CALL(CublasLtFunctions, cublasLtMatmulDescSetAttribute);
KJOULE_SAME_CALL(CublasLtFunctions, cublasLtMatrixLayoutCreate);
KJOULE_SAME_CALL(CublasLtFunctions, cublasLtMatrixLayoutDestroy);
KJOULE_SAME_CALL(CublasLtFunctions, cublasLtMatrixLayoutSetAttribute);
KJOULE_SAME_CALL(CublasLtFunctions, cublasLtMatmulPreferenceCreate);
KJOULE_SAME_CALL(CublasLtFunctions, cublasLtMatmulPreferenceDestroy);
KJOULE_SAME_CALL(CublasLtFunctions, cublasLtMatmulPreferenceSetAttribute);
KJOULE_SAME_CALL(CublasLtFunctions, cublasLtMatmulAlgoGetHeuristic);
KJOULE_SAME_CALL(CublasLtFunctions, cublasLtMatmul);

TEST(CublasTypes, AreThoseOfTheHeaders) {
  SUCCEED() << "the assertions above compiled";
}

#else

TEST(CublasTypes, AreThoseOfTheHeaders) {
  GTEST_SKIP() << "the headers of cuBLAS are not installed";
}

#endif

}  // namespace
}  // namespace kjoule::blas
