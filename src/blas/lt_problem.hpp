#pragma once
#include <vector>

#include "blas/cublas.hpp"
#include "blas/matrices.hpp"
#include "blas/product_form.hpp"

namespace kjoule::blas {

/// A matrix product in one form (ProductForm), as cuBLASLt describes it.
class LtProblem {
 public:
  /// Throws Error if cuBLASLt refuses the description.
  LtProblem(const Cublas& cublas, const MatrixProduct& product, const ProductForm& form,
            const Matrices& matrices);
  ~LtProblem();
  LtProblem(const LtProblem&) = delete;
  LtProblem& operator=(const LtProblem&) = delete;

  /// Returns the algorithms that cuBLASLt proposes, best first by cuBLASLt's own estimate. Returns an empty
  /// list if cuBLASLt does not support the form.
  std::vector<HeuristicResult> algorithms() const;
  /// Launches the product on the stream of `cublas`.
  CublasStatus multiply(const MatmulAlgorithm& algorithm) const;

 private:
  template <class T>
  void set(MatmulAttribute attribute, const T& value);
  void add_layout(DataType type, int64_t rows, int64_t columns);
  void destroy();

  const Cublas& cublas_;
  const Matrices& matrices_;
  DataType scale_type_;
  int64_t batch_;
  MatmulDescription description_ = nullptr;
  std::vector<MatrixLayout> layouts_;  ///< of A, B and C
};

/// Return the number 1, or 0, in the type of a product's scale factors.
const void* one(DataType scale);
const void* zero();

}  // namespace kjoule::blas
