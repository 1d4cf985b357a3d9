#pragma once
#include <string>

#include "base/error.hpp"
#include "base/text/parse_number.hpp"

namespace kjoule {

/// Returns the share that an option states as "1%" or "0.01". Throws UsageError unless it is above 0 and
/// below 1.
inline double share(const std::string& text, const std::string& option) {
  const bool percent = text.ends_with('%');
  const double share = parse_number(percent ? text.substr(0, text.size() - 1) : text).value_or(0);
  if (!(share > 0 && share < (percent ? 100 : 1)))
    throw UsageError(option + " " + text + ": neither a percentage nor a fraction between 0 and 1",
                     "write for example 1% or 0.01");
  return percent ? share / 100 : share;
}

}  // namespace kjoule
