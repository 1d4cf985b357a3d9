#include "recording/matrix_product.hpp"

#include <fmt/format.h>

namespace kjoule {

std::optional<int64_t> matrix_element_bytes(const std::string& type) {
  if (type == "float64") return 8;
  if (type == "float32" || type == "tf32" || type == "int32") return 4;
  if (type == "float16" || type == "bfloat16") return 2;
  if (type == "int8" || type == "float8_e4m3" || type == "float8_e5m2") return 1;
  return {};
}

double MatrixProduct::matrix_bytes() const {
  const auto size = [](int64_t rows, int64_t columns) {
    return static_cast<double>(rows) * static_cast<double>(columns);
  };
  const auto in = static_cast<double>(matrix_element_bytes(type).value_or(4));
  const auto out = static_cast<double>(matrix_element_bytes(type == "int8" ? "int32" : type).value_or(4));
  return static_cast<double>(batch) * (in * (size(m, k) + size(k, n)) + out * size(m, n));
}

std::string MatrixProduct::sizes_text() const {
  return fmt::format("{}{}x{}x{} {}", batch > 1 ? fmt::format("{} x ", batch) : "", m, n, k, type);
}

namespace matrix_product_detail {

std::string text_of(const std::optional<Extent>& extent) {
  return extent ? extent_text(*extent) : "";
}

std::optional<Extent> extent_of(const std::string& text) {
  return extent_from(text);
}

}  // namespace matrix_product_detail

}  // namespace kjoule
