#pragma once
#include <map>
#include <string>
#include <vector>

#include "names/name_rules.hpp"

namespace kjoule {

/// The longest short name in reports, in bytes.
constexpr size_t kShortNameLength = 60;

/// The short names of the kernels of one table. Different kernels have different ones: what distinguishes
/// kernels that the rules give the same name follows it in brackets, a number if nothing else is short
/// enough. The short names depend on the names in the table, not on their order.
class ShortNames {
 public:
  ShortNames() = default;
  /// `names` may contain a name several times. Short names have at most `length` bytes, which is at least 16.
  explicit ShortNames(const std::vector<std::string>& names, size_t length = kShortNameLength,
                      const NameRules& rules = NameRules::bundled());

  /// Returns the short name of one of the names; of any other name, the name itself.
  const std::string& of(const std::string& name) const;

 private:
  std::map<std::string, std::string> short_names_;  ///< by full name
};

/// Returns a text of at most `length` bytes: a longer one is cut in its middle, because names begin with what
/// they are and end with what distinguishes them. UTF-8 characters stay whole.
std::string cut_in_middle(const std::string& text, size_t length);

}  // namespace kjoule
