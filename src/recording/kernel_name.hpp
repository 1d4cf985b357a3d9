#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// Returns the function in a readable kernel name: with its namespaces, but without return type, template
/// arguments and parameters. For example, "void at::native::reduce_kernel<512, 1>(int)" gives
/// "at::native::reduce_kernel". A name that is not a C++ declaration is returned as it is; a truncated
/// declaration gives the part of the function's name that is present.
std::string function_in(std::string_view name);

/// Returns whether the kernel adds up the parts of a matrix product whose sum was split (cuBLAS's split-K).
/// It does not multiply, although it belongs to the same family and category as the kernels that do.
bool adds_up_products(std::string_view name);

/// A pattern for names in which each `*` matches any text, including an empty one. A pattern matches only
/// whole names.
class NamePattern {
 public:
  explicit NamePattern(const std::string& text);
  bool matches(std::string_view name) const;

 private:
  std::vector<std::string> pieces_;  ///< the texts between the stars; at least one
};

/// Returns the position of the first place where `word` occurs in `text` as a whole word: neither a letter
/// nor a digit precedes or follows it. If `word` ends with `*`, letters and digits may follow. Returns npos
/// if there is no such place.
size_t find_word(std::string_view text, std::string_view word);

}  // namespace kjoule
