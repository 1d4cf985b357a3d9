#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "recording/kernel_name.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// The origin and the type of work of a kernel.
struct KernelClass {
  Tier tier = Tier::unknown;
  /// The library that contains the kernel, e.g. "cublaslt"; empty if not known.
  std::string family;
  /// The data type of the kernel's inputs if its name contains it, e.g. "float16"; otherwise empty.
  std::string dtype;
  std::string category = "unknown";  ///< one of kernel_categories()
};

/// Returns the categories that a rule may name.
const std::vector<std::string>& kernel_categories();

/// A kernel's or operator's name, split into the parts that rules examine.
struct NameParts {
  explicit NameParts(const std::string& name);
  std::string readable;  ///< demangled
  std::string function;  ///< the result of function_in(readable)
  /// The operator's name without its overload and without the underscore of in-place variants, e.g.
  /// "aten::add". Empty if the name is not an operator's.
  std::string operation;
};

/// The condition of a rule on a name (NameParts): `functions`, `names` and `operations` are patterns for its
/// function, its readable name and its operation. The condition holds if each of these parts matches at least
/// one pattern of its list. A part whose list is empty may be any text.
struct NameCondition {
  std::vector<NamePattern> functions, names, operations;
  bool holds(const NameParts& name) const;
};

/// A rule that classifies the kernels whose names meet its condition.
struct ClassRule {
  NameCondition condition;
  /// The class of these kernels; if dtype is empty, TypeRules determine the data type.
  KernelClass kernel_class;
};

/// A rule that finds the data type of kernels of some families by words in the kernels' names. If a name
/// contains several of the words, the first of them in the name decides.
struct TypeRule {
  std::vector<std::string> families;
  NameCondition condition;
  std::vector<std::pair<std::string, std::string>> types;  ///< pairs of word and data type
  /// Returns the data type for the name of a kernel of `family`. Returns an empty text if the rule does not
  /// apply to the family or name, or the name contains none of the rule's words.
  std::string type_in(const NameParts& name, const std::string& family) const;
};

/// Reads one line of a rule file. Throws Error if the line does not have the format that
/// docs/reference/formats.md describes; `where` (FILE:line) is the beginning of the message.
std::variant<ClassRule, TypeRule> read_kernel_rule(std::string_view line, const std::string& where);

}  // namespace kjoule
