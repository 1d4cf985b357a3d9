#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "recording/extent.hpp"

namespace kjoule {

/// A matrix product C = A B by cuBLAS, with row-major matrices: A is m x k, B is k x n, C is m x n. One call
/// computes `batch` such products.
struct MatrixProduct {
  int64_t m = 0, n = 0, k = 0, batch = 1;
  std::string type;                   ///< data type of A and B, e.g. "float16"
  std::string kernel;                 ///< name of the recorded kernel that should run; empty if not known
  std::optional<Extent> grid, block;  ///< grid and block of the recorded kernel; nothing if not known
  bool operator==(const MatrixProduct&) const = default;

  /// Returns the size of A, B and C of all `batch` products together, in bytes. The result is a double,
  /// because extreme sizes would overflow an integer.
  double matrix_bytes() const;
  /// Returns "5x3072x1024 float16", preceded by "16 x " for a batch of 16.
  std::string sizes_text() const;
};

/// The data types of matrices that kjoule can multiply, with the names that kernel rules use.
inline constexpr const char* kMatrixTypes[] = {"float16", "bfloat16", "float32",     "tf32",
                                               "float64", "int8",     "float8_e4m3", "float8_e5m2"};
/// Returns the bytes of one element of a matrix of type `type`: one of kMatrixTypes, or "int32", the type of
/// C in a product of "int8". Returns nothing for another type.
std::optional<int64_t> matrix_element_bytes(const std::string& type);

namespace matrix_product_detail {
std::string text_of(const std::optional<Extent>& extent);
std::optional<Extent> extent_of(const std::string& text);
}  // namespace matrix_product_detail

template <class Fields>
void describe(Fields& fields, MatrixProduct& product) {
  using matrix_product_detail::extent_of, matrix_product_detail::text_of;
  fields("m", product.m);
  fields("n", product.n);
  fields("k", product.k);
  fields("batch", product.batch);
  fields("type", product.type);
  fields.unless_empty("kernel", product.kernel);
  fields.as("grid", product.grid, text_of, extent_of);
  fields.as("block", product.block, text_of, extent_of);
}

}  // namespace kjoule
