#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// The function that a readable kernel name tells, with its namespaces, without return type, template
/// arguments and parameters: "at::native::reduce_kernel" of "void at::native::reduce_kernel<512, 1>(int)".
/// A name that is no C++ declaration is its own function; one that was cut short gives what is left.
std::string function_in(std::string_view name);

/// Text in which each `*` stands for anything, nothing included. It fits a whole name, never a part of one.
class NamePattern {
 public:
  explicit NamePattern(const std::string& text);
  bool fits(std::string_view name) const;

 private:
  std::vector<std::string> pieces_;  ///< what stands between the stars; never empty
};

/// Where `word` stands in `text` with neither letter nor digit beside it, or, where the word ends with `*`,
/// before it; npos where it does not.
size_t find_word(std::string_view text, std::string_view word);

}  // namespace kjoule
