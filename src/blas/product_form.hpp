#pragma once
#include <string>
#include <vector>

#include "blas/cublas_types.hpp"
#include "recording/matrix_product.hpp"

namespace kjoule::blas {

/// A form in which cuBLAS can compute a matrix product: operations, types, and the bias and activation that
/// follow in the same kernel. cuBLAS's matrices are column-major, so its A is the second matrix of the
/// product, and its B the first.
struct ProductForm {
  Operation a = Operation::transpose, b = Operation::none;
  DataType a_type{}, b_type{}, out_type{}, scale_type{};
  ComputeType compute{};
  Epilogue epilogue = Epilogue::none;
  bool bias = false;
  bool by_lt_only = false;  ///< cublasGemmEx() does not have this form

  bool operator==(const ProductForm&) const = default;
};

/// Returns the forms in which the recorded kernel may have computed the product, the most likely one first.
/// The kernel's name may state operations ("tn"), bias and activation ("bias", "relu", "gelu"). If the name
/// states no operations, forms with all operations are returned. A product without a recorded kernel is
/// treated as the product of a linear layer, y = x W^T.
std::vector<ProductForm> product_forms(const MatrixProduct& product);

/// Returns the bytes of an element.
size_t element_bytes(DataType type);

}  // namespace kjoule::blas
