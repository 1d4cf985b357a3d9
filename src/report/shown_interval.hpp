#pragma once
#include <string>

#include "base/numbers/interval.hpp"

namespace kjoule {

/// A value and its half-width as text for the cells of a table.
struct ShownInterval {
  std::string value;       ///< "12.30", or an upper limit "< 0.20" if the interval contains zero
  std::string half_width;  ///< "1.6 %" of the value, or "0.15 us" if the interval contains zero
};

/// Returns the texts with `digits` decimals. `unit` is the unit of the value and the half-width. A value that
/// is not available is shown as "-".
ShownInterval shown_interval(const Interval& interval, int digits, const char* unit);

}  // namespace kjoule
