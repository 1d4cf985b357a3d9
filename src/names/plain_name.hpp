#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// The parts of a kernel's name that short names are made of. Namespaces are left out everywhere except in
/// `spaces`, and adjacent closing brackets have no blank between them.
struct PlainName {
  /// Splits a name, mangled or not. A name that is no C++ declaration has only a `function`: all of it.
  explicit PlainName(const std::string& name);

  std::string qualified;                ///< the result of function_in()
  std::string spaces;                   ///< the namespaces of the function, e.g. "at::native"; may be empty
  std::string function;                 ///< e.g. "reduce_kernel"
  std::vector<std::string> arguments;   ///< the template arguments of the function
  std::vector<std::string> parameters;  ///< the types of the function's parameters
  std::string text;                     ///< function and template arguments: what rules match
};

/// Returns the texts between the commas that are in no brackets.
std::vector<std::string> split_list(std::string_view text);

}  // namespace kjoule
