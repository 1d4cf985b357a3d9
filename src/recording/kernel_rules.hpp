#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "recording/kernel_rule.hpp"

namespace kjoule {

/// Tells by names what kernels and operators are. A kernel that no rule knows is unknown: what a program
/// compiled itself is no library's, however it is called. Not thread-safe.
class KernelRules {
 public:
  /// The rules that kjoule brings (data/kernel_rules.jsonl, which every binary holds).
  KernelRules();
  /// The rules in a file before those. Throws Error "FILE:line: .." for a rule that is not as
  /// docs/reference/formats.md says, or "FILE: .." for a file without one.
  static KernelRules with(const std::string& path);

  /// By the first rule that fits a kernel's name, mangled or not, or an operator's ("aten::add.Tensor").
  const KernelClass& classify(const std::string& name);
  /// The same; null where no rule fits.
  const KernelClass* find(const std::string& name);
  /// Whether it is a rule of the user's file that decides.
  bool is_users(const std::string& name) const;

 private:
  KernelRules(std::string_view first, const std::string& source);
  void append(std::string_view text, const std::string& source);

  std::vector<ClassRule> classes_;
  size_t users_ = 0;  ///< so many of these, the first, are of the user's file
  std::vector<TypeRule> types_;
  /// Of every name that was asked for: programs launch the same kernels again and again.
  std::unordered_map<std::string, std::optional<KernelClass>> known_;
};

}  // namespace kjoule
