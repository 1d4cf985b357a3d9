#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// Returns the function in a demangled kernel name with its namespaces, but without return type, template
/// arguments and parameters: "at::native::reduce_kernel" for "void at::native::reduce_kernel<512, 1>(int)".
/// Returns a name that is not a C++ declaration unchanged. Of a truncated declaration, returns the part of
/// the function's name that the text contains.
std::string function_in(std::string_view name);

/// Returns whether the kernel adds up the partial sums of a matrix product (cuBLAS's split-K). Such a kernel
/// has the family and category of matrix products, but does not multiply.
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

/// Returns the first position of `word` in `text` as a whole word: neither a letter nor a digit precedes or
/// follows it. If `word` ends with `*`, letters and digits may follow. Returns npos if `text` does not
/// contain the word.
size_t find_word(std::string_view text, std::string_view word);

}  // namespace kjoule
