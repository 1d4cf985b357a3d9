#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "recording/kernel_rule.hpp"

namespace kjoule {

/// Classifies kernels and operators by their names. A kernel that matches no rule is unknown, because kernels
/// that a program compiled itself belong to no library, whatever their names. Not thread-safe.
class KernelRules {
 public:
  /// Loads the rules that are bundled with kjoule (data/kernel_rules.jsonl, compiled into every binary).
  KernelRules();
  /// Loads the rules in a file, followed by the bundled ones. Throws Error "FILE:line: ..." for a rule that
  /// does not have the format that docs/reference/formats.md describes, or "FILE: ..." for a file without
  /// rules.
  static KernelRules with(const std::string& path);

  /// Returns the class by the first rule that matches a name. `name` is a kernel's, mangled or not, or an
  /// operator's ("aten::add.Tensor"). Returns an unknown class if no rule matches.
  const KernelClass& classify(const std::string& name);
  /// Returns the class by the first rule that matches a name, or null if no rule matches.
  const KernelClass* find(const std::string& name);
  /// Returns whether a rule of the user's file decides the class of a name.
  bool follows_user_rule(const std::string& name) const;

 private:
  KernelRules(std::string_view first, const std::string& source);
  void append(std::string_view text, const std::string& source);

  std::vector<ClassRule> classes_;
  size_t user_rules_ = 0;  ///< the first user_rules_ rules are those of the user's file
  std::vector<TypeRule> types_;
  /// The results for all names so far, because programs launch the same kernels again and again.
  std::unordered_map<std::string, std::optional<KernelClass>> known_;
};

}  // namespace kjoule
