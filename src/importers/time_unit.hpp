#pragma once
#include <optional>
#include <string_view>

namespace kjoule {

/// Returns the power of ten of a unit of time, in microseconds: -3 for "ns", "nsec" or "nanoseconds", 0 for
/// "us", 3 for "msecond", 6 for "s". Upper and lower case are equal. Returns no value for other texts.
std::optional<int> power_of_unit(std::string_view unit);

/// A heading such as "Avg (ns)" or "Duration(nsec)", divided into its name and the text in its parentheses,
/// which is empty if it has none.
struct HeadingParts {
  std::string_view name, unit;
};
HeadingParts split_heading(std::string_view heading);

}  // namespace kjoule
