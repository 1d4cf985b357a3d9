#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "compare/iteration/comparison.hpp"
#include "names/name_style.hpp"
#include "names/short_names.hpp"

namespace kjoule {

/// Most bytes of short names in tables with many columns.
inline constexpr size_t kTableNameLength = 31;

/// The names of the kernels of one report. A kernel has the same name in all tables of the report.
class KernelNames {
 public:
  /// `names` are the full names of all kernels, also of those that are not shown. Short names have at most
  /// `length` bytes.
  explicit KernelNames(const std::vector<std::string>& names, NameStyle style = NameStyle::shortened,
                       size_t length = kShortNameLength);
  /// Makes the names from a list: `name_of(element)` returns the full name of an element.
  template <class List, class NameOf>
  static KernelNames of_all(const List& list, const NameOf& name_of, NameStyle style = NameStyle::shortened,
                            size_t length = kShortNameLength) {
    std::vector<std::string> names;
    for (const auto& one : list) names.push_back(name_of(one));
    return KernelNames(names, style, length);
  }

  /// Returns the short name of a kernel, independent of the style.
  const std::string& short_name(const std::string& name) const { return short_names_.of(name); }
  /// Returns the name of a kernel for a table: printable, in the style.
  std::string shown(const std::string& name) const;
  /// Returns the signature of a launch for a table: the name in the style, and what follows it in the
  /// signature, cut to `width` bytes.
  std::string shown(const std::string& name, const std::string& signature, size_t width) const;
  /// Returns a row of a table that ends with a kernel: `cells` before its name, `more` after it. A short name
  /// keeps the row within lines of kReportWidth; a full name is not broken.
  std::string row(std::string_view cells, const std::string& name, std::string_view more = {}) const;

 private:
  ShortNames short_names_;
  NameStyle style_;
};

/// Returns the names of the kernels of a comparison or of an isolated run.
KernelNames names_of(const std::vector<KernelResult>& kernels, NameStyle style = NameStyle::shortened,
                     size_t length = kShortNameLength);

}  // namespace kjoule
