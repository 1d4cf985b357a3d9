#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "recording/kernel_rule.hpp"

namespace kjoule {

/// Classifies kernels and operators by their names. The class of a kernel that matches no rule is unknown.
/// Resemblance to a library's names is not sufficient, because a program's own kernels belong to no library.
/// Not thread-safe.
class KernelRules {
 public:
  /// Loads the rules that are bundled with kjoule (data/kernel_rules.jsonl, compiled into every binary).
  KernelRules();
  /// Loads the rules of a user's file, followed by the bundled ones. Throws Error "FILE:line: ..." for a rule
  /// that violates the format in docs/reference/formats.md, and Error "FILE: ..." for a file without rules.
  static KernelRules with(const std::string& path);

  /// Returns the class that the first rule matching `name` assigns; a class with unknown tier and category if
  /// no rule matches. `name` is a kernel's name, mangled or not, or an operator's ("aten::add.Tensor").
  const KernelClass& classify(const std::string& name);
  /// Like classify(), but returns null if no rule matches.
  const KernelClass* find(const std::string& name);
  /// Returns whether the first rule that matches the name comes from the user's file.
  bool follows_user_rule(const std::string& name) const;

 private:
  KernelRules(std::string_view first, const std::string& source);
  void append(std::string_view text, const std::string& source);

  std::vector<ClassRule> classes_;
  size_t user_rules_ = 0;  ///< the first user_rules_ rules are those of the user's file
  std::vector<TypeRule> types_;
  /// The results for all names so far, so that a name that occurs again is not classified again.
  std::unordered_map<std::string, std::optional<KernelClass>> known_;
};

}  // namespace kjoule
