#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "blas/captured_kernels.hpp"
#include "blas/cublas.hpp"
#include "blas/lt_problem.hpp"
#include "blas/matrices.hpp"
#include "recording/kernel_rules.hpp"
#include "recording/matrix_product.hpp"

namespace kjoule::blas {

/// A matrix product with its matrices and the call of cuBLAS that computes it.
class PreparedProduct {
 public:
  /// Chooses the call. For each form of the product, cublasGemmEx() with its default algorithm and the
  /// algorithms of cuBLASLt are tried, until a call launches the recorded kernel with its grid and block. If
  /// no call launches this kernel, the first of the calls with the closest match is used. From closest to
  /// least close, the matches are: the recorded kernel with another grid or block, a kernel of the same
  /// family, any kernel. Throws Error if cuBLAS cannot compute the product, or if its matrices do not fit
  /// into memory.
  PreparedProduct(const Cublas& cublas, const MatrixProduct& product, KernelRules& rules);
  /// Copies `other`: the copy uses the same memory and the same call.
  PreparedProduct(const PreparedProduct& other) = default;

  const MatrixProduct& product() const { return product_; }
  /// Launches the product. Throws Error if cuBLAS reports an error.
  void multiply() const;

 private:
  struct Call {
    ProductForm form;
    std::shared_ptr<LtProblem> lt;  ///< null: cublasGemmEx()
    MatmulAlgorithm algorithm{};    ///< of cublasLtMatmul()
  };
  /// How closely the launched kernels match the recorded kernel, in ascending order.
  enum class Likeness { other, family, name, same };

  std::vector<Call> calls_of(const ProductForm& form);
  void choose(const std::vector<ProductForm>& forms, KernelRules& rules);
  Likeness likeness(const std::vector<CapturedKernel>& kernels, KernelRules& rules) const;
  CublasStatus make(const Call& call) const;
  CublasStatus gemm_ex(const ProductForm& form) const;

  const Cublas* cublas_;
  MatrixProduct product_;
  std::shared_ptr<Matrices> matrices_;
  Call call_;
};

}  // namespace kjoule::blas
