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

/// What kind of work a kernel is, and whose.
struct KernelClass {
  Tier tier = Tier::unknown;
  std::string family;                ///< the library that it comes from, e.g. "cublaslt"; empty: not known
  std::string dtype;                 ///< of its inputs, where its name tells it, e.g. "float16"; else empty
  std::string category = "unknown";  ///< one of kernel_categories()
};

/// The words that a rule may give as category.
const std::vector<std::string>& kernel_categories();

/// A name as rules look at it.
struct RuledName {
  explicit RuledName(const std::string& name);
  std::string readable;  ///< demangled
  std::string function;  ///< see function_in
  /// The name as an operator's: without its overload and the underscore of in-place variants. Empty where
  /// it is none.
  std::string operation;
};

/// What a rule asks of a name: of each part that it speaks of, one of the patterns must fit.
struct NameCondition {
  std::vector<NamePattern> functions, names, operations;
  bool holds(const RuledName& name) const;
};

/// Says what the kernels are whose names it fits.
struct ClassRule {
  NameCondition condition;
  KernelClass is;  ///< with an empty dtype where TypeRules shall tell it
};

/// Tells data types by words in the names of some families' kernels: the word that stands first decides.
struct TypeRule {
  std::vector<std::string> families;
  NameCondition condition;
  std::vector<std::pair<std::string, std::string>> types;  ///< word, data type
  /// Empty where the rule does not apply, or none of the words is there.
  std::string type_in(const RuledName& name, const std::string& family) const;
};

/// One line of a rule file. `where` (FILE:line) begins the Error's cause when it is not as
/// docs/reference/formats.md says.
std::variant<ClassRule, TypeRule> read_kernel_rule(std::string_view line, const std::string& where);

}  // namespace kjoule
