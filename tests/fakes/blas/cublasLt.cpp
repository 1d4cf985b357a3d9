// Stand-in for cuBLASLt with two algorithms. The first has blocks of 64 x 64 elements (float16) or 32 x 128
// (float32). The second, for float16 only, has blocks of 128 x 32 elements whose sum is split into five
// parts.

#include <algorithm>

#include "launch.hpp"

using namespace stand_in;

namespace {

struct Description {
  Operation a = Operation::none, b = Operation::none;
  uint32_t epilogue = 1;
};
struct Layout {
  DataType type{};
  int64_t rows = 0, columns = 0, ld = 0;
  int32_t batch = 1;
};

struct Algorithm {
  const char* name;
  DataType type;
  int rows, columns;
  unsigned parts;
};
constexpr Algorithm kAlgorithms[] = {{"ampere_fp16_s16816gemm_fp16_64x64", DataType::float16, 64, 64, 1},
                                     {"maxwell_sgemm_fp16_128x32", DataType::float16, 128, 32, 5},
                                     {"ampere_sgemm_32x128", DataType::float32, 32, 128, 1}};

}  // namespace

CUBLAS cublasLtMatmulDescCreate(MatmulDescription* description, ComputeType, DataType) {
  *description = new Description;
  return kCublasSuccess;
}
CUBLAS cublasLtMatmulDescDestroy(MatmulDescription description) {
  delete static_cast<Description*>(description);
  return kCublasSuccess;
}
CUBLAS cublasLtMatmulDescSetAttribute(MatmulDescription description, MatmulAttribute attribute,
                                      const void* value, size_t) {
  auto* its = static_cast<Description*>(description);
  if (attribute == MatmulAttribute::transpose_a) its->a = *static_cast<const Operation*>(value);
  if (attribute == MatmulAttribute::transpose_b) its->b = *static_cast<const Operation*>(value);
  if (attribute == MatmulAttribute::epilogue) its->epilogue = *static_cast<const uint32_t*>(value);
  return kCublasSuccess;
}
CUBLAS cublasLtMatrixLayoutCreate(MatrixLayout* layout, DataType type, uint64_t rows, uint64_t columns,
                                  int64_t ld) {
  *layout = new Layout{type, static_cast<int64_t>(rows), static_cast<int64_t>(columns), ld};
  return kCublasSuccess;
}
CUBLAS cublasLtMatrixLayoutDestroy(MatrixLayout layout) {
  delete static_cast<Layout*>(layout);
  return kCublasSuccess;
}
CUBLAS cublasLtMatrixLayoutSetAttribute(MatrixLayout layout, LayoutAttribute attribute, const void* value,
                                        size_t) {
  if (attribute == LayoutAttribute::batch_count)
    static_cast<Layout*>(layout)->batch = *static_cast<const int32_t*>(value);
  return kCublasSuccess;
}
CUBLAS cublasLtMatmulPreferenceCreate(MatmulPreference* preference) {
  *preference = new int(0);
  return kCublasSuccess;
}
CUBLAS cublasLtMatmulPreferenceDestroy(MatmulPreference preference) {
  delete static_cast<int*>(preference);
  return kCublasSuccess;
}
CUBLAS cublasLtMatmulPreferenceSetAttribute(MatmulPreference, int attribute, const void*, size_t) {
  return attribute == kMaxWorkspaceBytes ? kCublasSuccess : kInvalidValue;
}

CUBLAS cublasLtMatmulAlgoGetHeuristic(CublasHandle, MatmulDescription, MatrixLayout a, MatrixLayout,
                                      MatrixLayout, MatrixLayout, MatmulPreference, int requested,
                                      HeuristicResult* results, int* returned) {
  *returned = 0;
  for (size_t i = 0; i < std::size(kAlgorithms) && *returned < requested; ++i) {
    if (kAlgorithms[i].type != static_cast<Layout*>(a)->type) continue;
    results[*returned] = {};
    results[(*returned)++].algorithm.data[3] = i;
  }
  return *returned > 0 ? kCublasSuccess : kjoule::blas::kCublasNotSupported;
}

CUBLAS cublasLtMatmul(CublasHandle, MatmulDescription description, const void*, const void* a,
                      MatrixLayout a_layout, const void* b, MatrixLayout b_layout, const void*, const void*,
                      MatrixLayout, void* d, MatrixLayout d_layout, const MatmulAlgorithm* algorithm, void*,
                      size_t, CUstream stream) {
  const auto& its = *static_cast<Description*>(description);
  const auto& of_a = *static_cast<Layout*>(a_layout);
  const auto& of_b = *static_cast<Layout*>(b_layout);
  const auto& of_d = *static_cast<Layout*>(d_layout);
  const bool at = its.a == Operation::transpose, bt = its.b == Operation::transpose;
  const int64_t m = at ? of_a.columns : of_a.rows, k = at ? of_a.rows : of_a.columns,
                n = bt ? of_b.rows : of_b.columns;
  if (k != (bt ? of_b.columns : of_b.rows) || m != of_d.rows || n != of_d.columns) return kInvalidValue;
  const Algorithm& chosen = kAlgorithms[algorithm->data[3]];
  return multiply({its.a, its.b, m, n, k, of_a.batch, of_a.type, of_d.type, a, b, d, stream}, chosen.name,
                  chosen.rows, chosen.columns, chosen.parts);
}
