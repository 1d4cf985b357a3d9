#include "blas/lt_problem.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace kjoule::blas {

namespace {

constexpr int kMostAlgorithms = 64;

uint32_t epilogue_value(const ProductForm& form) {
  const auto activation = static_cast<uint32_t>(form.epilogue);
  if (!form.bias) return activation;
  return form.epilogue == Epilogue::none ? kBiasEpilogue : activation | kBiasEpilogue;
}

void need(CublasStatus status) {
  if (status != kCublasSuccess)
    throw Error(fmt::format("cuBLASLt refuses the sizes or types of this product ({})", status_text(status)));
}

}  // namespace

LtProblem::LtProblem(const Cublas& cublas, const MatrixProduct& product, const ProductForm& form,
                     const Matrices& matrices)
    : cublas_(cublas), matrices_(matrices), scale_type_(form.scale_type), batch_(product.batch) {
  try {
    need(cublas_.cublasLtMatmulDescCreate(&description_, form.compute, form.scale_type));
    set(MatmulAttribute::transpose_a, form.a);
    set(MatmulAttribute::transpose_b, form.b);
    set(MatmulAttribute::epilogue, epilogue_value(form));
    if (form.bias) set(MatmulAttribute::bias_pointer, matrices.bias());
    const bool a = form.a == Operation::transpose, b = form.b == Operation::transpose;
    add_layout(form.a_type, a ? product.k : product.n, a ? product.n : product.k);
    add_layout(form.b_type, b ? product.m : product.k, b ? product.k : product.m);
    add_layout(form.out_type, product.n, product.m);
  } catch (...) {
    destroy();
    throw;
  }
}

LtProblem::~LtProblem() {
  destroy();
}

void LtProblem::destroy() {
  for (const MatrixLayout layout : layouts_) cublas_.cublasLtMatrixLayoutDestroy(layout);
  if (description_ != nullptr) cublas_.cublasLtMatmulDescDestroy(description_);
}

template <class T>
void LtProblem::set(MatmulAttribute attribute, const T& value) {
  need(cublas_.cublasLtMatmulDescSetAttribute(description_, attribute, &value, sizeof value));
}

void LtProblem::add_layout(DataType type, int64_t rows, int64_t columns) {
  MatrixLayout layout = nullptr;
  need(cublas_.cublasLtMatrixLayoutCreate(&layout, type, static_cast<uint64_t>(rows),
                                          static_cast<uint64_t>(columns), rows));
  layouts_.push_back(layout);
  if (batch_ == 1) return;
  const auto batch = static_cast<int32_t>(batch_);
  const int64_t stride = rows * columns;
  need(cublas_.cublasLtMatrixLayoutSetAttribute(layout, LayoutAttribute::batch_count, &batch, sizeof batch));
  need(cublas_.cublasLtMatrixLayoutSetAttribute(layout, LayoutAttribute::batch_stride, &stride,
                                                sizeof stride));
}

std::vector<HeuristicResult> LtProblem::algorithms() const {
  MatmulPreference preference = nullptr;
  need(cublas_.cublasLtMatmulPreferenceCreate(&preference));
  const uint64_t most = Cublas::kWorkspaceBytes;
  std::vector<HeuristicResult> results(kMostAlgorithms);
  int returned = 0;
  CublasStatus status =
      cublas_.cublasLtMatmulPreferenceSetAttribute(preference, kMaxWorkspaceBytes, &most, sizeof most);
  if (status == kCublasSuccess)
    status = cublas_.cublasLtMatmulAlgoGetHeuristic(cublas_.handle(), description_, layouts_[0], layouts_[1],
                                                    layouts_[2], layouts_[2], preference, kMostAlgorithms,
                                                    results.data(), &returned);
  cublas_.cublasLtMatmulPreferenceDestroy(preference);
  results.resize(status == kCublasSuccess ? static_cast<size_t>(returned) : 0);
  std::erase_if(results, [](const HeuristicResult& result) {
    return result.state != kCublasSuccess || result.workspace_bytes > Cublas::kWorkspaceBytes;
  });
  return results;
}

CublasStatus LtProblem::multiply(const MatmulAlgorithm& algorithm) const {
  return cublas_.cublasLtMatmul(cublas_.handle(), description_, one(scale_type_), matrices_.a(), layouts_[0],
                                matrices_.b(), layouts_[1], zero(), matrices_.c(), layouts_[2], matrices_.c(),
                                layouts_[2], &algorithm, cublas_.workspace(), Cublas::kWorkspaceBytes,
                                cublas_.stream());
}

const void* one(DataType scale) {
  static const float single = 1;
  static const double twofold = 1;
  static const int32_t whole = 1;
  static const uint16_t half = 0x3c00;
  switch (scale) {
    case DataType::float64:
      return &twofold;
    case DataType::int32:
      return &whole;
    case DataType::float16:
      return &half;
    default:
      return &single;
  }
}

const void* zero() {
  static const double none = 0;  // 0 has the same bits in all types
  return &none;
}

}  // namespace kjoule::blas
