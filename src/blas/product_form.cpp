#include "blas/product_form.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "base/error.hpp"

namespace kjoule::blas {

namespace {

/// Returns the words of a kernel's name in lower case. A word consists of letters and digits between other
/// characters.
std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> words(1);
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!words.back().empty())
      words.emplace_back();
  return words;
}

using Operations = std::pair<Operation, Operation>;

Operation operation(char letter) {
  return letter == 't' ? Operation::transpose : Operation::none;
}

/// Returns the operations that a kernel's name states by a word such as "tn", or "tnt" with a third letter
/// for the result. The names gemv2N and gemv2T state the operation of their matrix.
std::optional<Operations> stated_operations(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "gemv2t") return Operations{Operation::transpose, Operation::none};
    if (word == "gemv2n") return Operations{Operation::none, Operation::none};
    const bool letters = std::ranges::all_of(word, [](char c) { return c == 't' || c == 'n'; });
    if (letters && (word.size() == 2 || word.size() == 3))
      return Operations{operation(word[0]), operation(word[1])};
  }
  return {};
}

std::vector<Operations> operations_of(const MatrixProduct& product, const std::vector<std::string>& words) {
  constexpr Operation kT = Operation::transpose, kN = Operation::none;
  if (product.kernel.empty()) return {{kT, kN}};
  if (const auto stated = stated_operations(words)) return {*stated};
  return {{kT, kN}, {kN, kN}, {kN, kT}, {kT, kT}};
}

ProductForm typed(DataType in, DataType out, ComputeType compute, DataType scale) {
  ProductForm form;
  form.a_type = form.b_type = in;
  form.out_type = out;
  form.compute = compute;
  form.scale_type = scale;
  return form;
}

/// Returns the forms of an input type, without operations. The most usual form comes first.
std::vector<ProductForm> forms_of(const std::string& type) {
  using D = DataType;
  using C = ComputeType;
  if (type == "float16")
    return {typed(D::float16, D::float16, C::float32, D::float32),
            typed(D::float16, D::float16, C::float16, D::float16),
            typed(D::float16, D::float32, C::float32, D::float32)};
  if (type == "bfloat16")
    return {typed(D::bfloat16, D::bfloat16, C::float32, D::float32),
            typed(D::bfloat16, D::float32, C::float32, D::float32)};
  const ProductForm plain = typed(D::float32, D::float32, C::float32, D::float32);
  const ProductForm tf32 = typed(D::float32, D::float32, C::tf32, D::float32);
  if (type == "float32") return {plain, tf32};
  if (type == "tf32") return {tf32};
  if (type == "float64") return {typed(D::float64, D::float64, C::float64, D::float64)};
  if (type == "int8") return {typed(D::int8, D::int32, C::int32, D::int32)};
  std::vector<ProductForm> forms;
  for (const D out : {D::bfloat16, D::float16, D::float32}) {
    ProductForm form = typed(D::float8_e4m3, out, C::float32, D::float32);
    // No GPU multiplies e5m2 by e5m2.
    if (type == "float8_e5m2") form.b_type = D::float8_e5m2;
    form.by_lt_only = true;
    forms.push_back(form);
  }
  return forms;
}

bool has(const std::vector<std::string>& words, const char* word) {
  return std::ranges::find(words, word) != words.end();
}

}  // namespace

std::vector<ProductForm> product_forms(const MatrixProduct& product) {
  if (!matrix_element_bytes(product.type)) throw Error("cuBLAS has no matrices of type " + product.type);
  const std::vector<std::string> words = words_of(product.kernel);
  std::vector<ProductForm> forms;
  for (const ProductForm& typed_form : forms_of(product.type))
    for (const auto& [a, b] : operations_of(product, words)) {
      ProductForm form = typed_form;
      form.a = a;
      form.b = b;
      form.bias = has(words, "bias");
      if (has(words, "relu")) form.epilogue = Epilogue::relu;
      if (has(words, "gelu")) form.epilogue = Epilogue::gelu;
      form.by_lt_only = form.by_lt_only || form.bias || form.epilogue != Epilogue::none;
      forms.push_back(form);
    }
  return forms;
}

size_t element_bytes(DataType type) {
  switch (type) {
    case DataType::float64:
      return 8;
    case DataType::float32:
    case DataType::int32:
      return 4;
    case DataType::float16:
    case DataType::bfloat16:
      return 2;
    default:
      return 1;
  }
}

}  // namespace kjoule::blas
