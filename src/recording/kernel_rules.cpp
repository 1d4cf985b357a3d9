#include "recording/kernel_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/files/for_each_line.hpp"
#include "kernel_rules_text.hpp"

namespace kjoule {

KernelRules::KernelRules() : KernelRules("", "") {}

KernelRules::KernelRules(std::string_view first, const std::string& source) {
  append(first, source);
  user_rules_ = classes_.size();
  append(kKernelRules, "data/kernel_rules.jsonl");
}

KernelRules KernelRules::with(const std::string& path) {
  const std::string text = read_text(path);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    throw Error(path + ": contains no rule", "write one rule per line (docs/reference/formats.md)");
  return {text, path};
}

void KernelRules::append(std::string_view text, const std::string& source) {
  for_each_line(text, [&](size_t number, std::string_view line) {
    auto rule = read_kernel_rule(line, fmt::format("{}:{}", source, number));
    if (auto* of_class = std::get_if<ClassRule>(&rule))
      classes_.push_back(std::move(*of_class));
    else
      types_.push_back(std::get<TypeRule>(std::move(rule)));
  });
}

const KernelClass& KernelRules::classify(const std::string& name) {
  static const KernelClass unknown;
  const KernelClass* is = find(name);
  return is == nullptr ? unknown : *is;
}

const KernelClass* KernelRules::find(const std::string& name) {
  const auto [known, is_new] = known_.try_emplace(name);
  std::optional<KernelClass>& is = known->second;
  if (is_new) {
    const NameParts ruled(name);
    const auto rule = std::find_if(classes_.begin(), classes_.end(),
                                   [&](const ClassRule& one) { return one.condition.holds(ruled); });
    if (rule == classes_.end()) return nullptr;
    is = rule->kernel_class;
    for (size_t i = 0; i < types_.size() && is->dtype.empty(); ++i)
      is->dtype = types_[i].type_in(ruled, is->family);
  }
  return is ? &*is : nullptr;
}

bool KernelRules::follows_user_rule(const std::string& name) const {
  if (user_rules_ == 0) return false;
  const NameParts ruled(name);
  return std::any_of(classes_.begin(), classes_.begin() + static_cast<std::ptrdiff_t>(user_rules_),
                     [&](const ClassRule& one) { return one.condition.holds(ruled); });
}

}  // namespace kjoule
