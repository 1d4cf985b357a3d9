#include "blas/prepared_product.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "recording/activity.hpp"
#include "recording/kernel_name.hpp"

namespace kjoule::blas {

PreparedProduct::PreparedProduct(const Cublas& cublas, const MatrixProduct& product, KernelRules& rules)
    : cublas_(&cublas), product_(product) {
  const std::vector<ProductForm> forms = product_forms(product);
  matrices_ = std::make_shared<Matrices>(cublas.driver(), product, forms);
  choose(forms, rules);
}

std::vector<PreparedProduct::Call> PreparedProduct::calls_of(const ProductForm& form) {
  std::vector<Call> calls;
  if (!form.by_lt_only) calls.push_back({form, nullptr, {}});
  try {
    const auto lt = std::make_shared<LtProblem>(*cublas_, product_, form, *matrices_);
    for (const HeuristicResult& result : lt->algorithms()) calls.push_back({form, lt, result.algorithm});
  } catch (const Error&) {
    // cuBLASLt does not support this form, but may support others
  }
  return calls;
}

void PreparedProduct::choose(const std::vector<ProductForm>& forms, KernelRules& rules) {
  std::optional<Likeness> best;
  CublasStatus first_failure = kCublasSuccess;
  for (const ProductForm& form : forms)
    for (Call& call : calls_of(form)) {
      CublasStatus status = kCublasSuccess;
      const std::vector<CapturedKernel> kernels = captured_kernels(
          *cublas_, [&] { return make(call); }, status);
      if (status != kCublasSuccess && first_failure == kCublasSuccess) first_failure = status;
      if (kernels.empty()) continue;
      const Likeness its = likeness(kernels, rules);
      if (best && its <= *best) continue;
      best = its;
      call_ = std::move(call);
      if (its == Likeness::same) return;
    }
  if (!best)
    throw Error(
        fmt::format("cuBLAS cannot compute {} ({})", product_.sizes_text(),
                    status_text(first_failure == kCublasSuccess ? kCublasNotSupported : first_failure)),
        "check the sizes and the type in the table: some types need a newer GPU, or sizes that are "
        "multiples of 16");
}

PreparedProduct::Likeness PreparedProduct::likeness(const std::vector<CapturedKernel>& kernels,
                                                    KernelRules& rules) const {
  if (product_.kernel.empty()) return Likeness::same;  // without a recorded kernel, any kernel is right
  const std::string recorded = readable_name(product_.kernel);
  const KernelClass is = rules.classify(product_.kernel);
  const bool adds_up = adds_up_products(product_.kernel);
  Likeness most = Likeness::other;
  for (const CapturedKernel& kernel : kernels) {
    Likeness its = Likeness::other;
    if (kernel.name == recorded) {
      const bool same = (!product_.grid || *product_.grid == kernel.grid) &&
                        (!product_.block || *product_.block == kernel.block);
      its = same ? Likeness::same : Likeness::name;
    } else if (const KernelClass& other = rules.classify(kernel.name);
               is.category != "unknown" && adds_up == adds_up_products(kernel.name) &&
               other.family == is.family && other.category == is.category &&
               (other.dtype == is.dtype || other.dtype.empty() || is.dtype.empty())) {
      its = Likeness::family;
    }
    most = std::max(most, its);
  }
  return most;
}

CublasStatus PreparedProduct::make(const Call& call) const {
  return call.lt ? call.lt->multiply(call.algorithm) : gemm_ex(call.form);
}

CublasStatus PreparedProduct::gemm_ex(const ProductForm& form) const {
  const auto m = static_cast<int>(product_.n), n = static_cast<int>(product_.m),
             k = static_cast<int>(product_.k);
  const int lda = form.a == Operation::transpose ? k : m, ldb = form.b == Operation::transpose ? n : k;
  const void* alpha = one(form.scale_type);
  if (product_.batch == 1)
    return cublas_->cublasGemmEx(cublas_->handle(), form.a, form.b, m, n, k, alpha, matrices_->a(),
                                 form.a_type, lda, matrices_->b(), form.b_type, ldb, zero(), matrices_->c(),
                                 form.out_type, m, form.compute, kDefaultGemmAlgorithm);
  const auto stride = [](int rows, int columns) { return static_cast<long long>(rows) * columns; };
  return cublas_->cublasGemmStridedBatchedEx(
      cublas_->handle(), form.a, form.b, m, n, k, alpha, matrices_->a(), form.a_type, lda, stride(m, k),
      matrices_->b(), form.b_type, ldb, stride(k, n), zero(), matrices_->c(), form.out_type, m, stride(m, n),
      static_cast<int>(product_.batch), form.compute, kDefaultGemmAlgorithm);
}

void PreparedProduct::multiply() const {
  const CublasStatus status = make(call_);
  if (status != kCublasSuccess)
    throw Error(fmt::format("cuBLAS did not compute {} ({})", product_.sizes_text(), status_text(status)));
}

}  // namespace kjoule::blas
