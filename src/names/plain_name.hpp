#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// The parts of a kernel's name from which its short name is made. Only the parts `qualified` and `spaces`
/// contain namespaces. Adjacent closing brackets have no blank between them.
struct PlainName {
  /// Splits a name, mangled or not. A name that is not a C++ declaration is stored whole as `qualified`,
  /// `function` and `text`; the other parts are empty.
  explicit PlainName(const std::string& name);

  std::string qualified;                ///< the result of function_in()
  std::string spaces;                   ///< the namespaces of the function, e.g. "at::native"; may be empty
  std::string function;                 ///< e.g. "reduce_kernel"
  std::vector<std::string> arguments;   ///< the template arguments of the function
  std::vector<std::string> parameters;  ///< the types of the function's parameters
  std::string text;                     ///< function and template arguments; the patterns of rules match this
};

/// Splits a text at the commas outside of brackets.
std::vector<std::string> split_list(std::string_view text);

}  // namespace kjoule
