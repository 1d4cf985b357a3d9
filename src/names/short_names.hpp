#pragma once
#include <map>
#include <string>
#include <vector>

#include "names/name_rules.hpp"

namespace kjoule {

/// The longest short name in reports, in bytes.
constexpr size_t kShortNameLength = 60;

/// The short names of the kernels of one table. Different kernels have different short names: if the rules
/// give several kernels the same name, a suffix in brackets distinguishes them, or a number if such a suffix
/// would be too long. The short names depend on the names in the table, but not on their order.
class ShortNames {
 public:
  ShortNames() = default;
  /// `names` may contain a name several times. Short names have at most `length` bytes; `length` must be at
  /// least 16.
  explicit ShortNames(const std::vector<std::string>& names, size_t length = kShortNameLength,
                      const NameRules& rules = NameRules::bundled());

  /// Returns the short name for one of the names of the table; any other name is returned unchanged.
  const std::string& of(const std::string& name) const;

 private:
  std::map<std::string, std::string> short_names_;  ///< by full name
};

/// Returns a text of at most `length` bytes. A longer text is cut in its middle, because the begin of a name
/// shows the kernel's purpose, and the end distinguishes it from similar kernels. UTF-8 characters stay
/// whole.
std::string cut_in_middle(const std::string& text, size_t length);

}  // namespace kjoule
