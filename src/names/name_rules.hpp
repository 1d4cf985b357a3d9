#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "names/name_rule.hpp"
#include "names/plain_name.hpp"

namespace kjoule {

/// Shortens the names of kernels by rules. Names that no rule matches are shortened to their function.
class NameRules {
 public:
  /// Reads rules, one per line. Throws Error "SOURCE:line: ..." for a rule that violates the format in
  /// docs/reference/formats.md, and Error "SOURCE: ..." if a rule refers to a group without rules.
  NameRules(std::string_view text, const std::string& source);
  /// Returns the rules that are bundled with kjoule (data/short_names.jsonl).
  static const NameRules& bundled();

  /// Returns the short name of a kernel. The short name may be too long for a table, or equal to the short
  /// name of another kernel; ShortNames corrects both.
  std::string shorten(const PlainName& name) const;

 private:
  std::string shorten_part(const std::string& group, const std::string& part, const PlainName& name,
                           int depth) const;
  std::string fill(const NameTemplate& text, const Captures& captures, const PlainName& name,
                   int depth) const;

  std::vector<NameRule> rules_;
};

}  // namespace kjoule
