#pragma once
#include <cstddef>
#include <vector>

#include "blas/cublas.hpp"
#include "blas/product_form.hpp"

namespace kjoule::blas {

/// The matrices of one product in the memory of the GPU. Their values have random signs and absolute values
/// between 1/16 and 1. The matrices are large enough for every form of the product.
class Matrices {
 public:
  /// Throws Error if the matrices do not fit into the free memory of the GPU.
  Matrices(const Driver& driver, const MatrixProduct& product, const std::vector<ProductForm>& forms);
  ~Matrices();
  Matrices(const Matrices&) = delete;
  Matrices& operator=(const Matrices&) = delete;

  /// cuBLAS's A, B and C, which are the second matrix of the product, its first matrix, and its result.
  const void* a() const { return pointers_[0]; }
  const void* b() const { return pointers_[1]; }
  void* c() const { return pointers_[2]; }
  const void* bias() const { return pointers_[3]; }

 private:
  void* allocate(double bytes);

  const Driver& driver_;
  std::vector<void*> pointers_;
};

/// Returns the free memory of the GPU as a share of its whole memory.
double free_share(const Driver& driver);

}  // namespace kjoule::blas
