#pragma once
#include <string>

#include "base/interval.hpp"

namespace kjoule {

/// A value and its half-width as the cells of a table.
struct ShownInterval {
  std::string value;       ///< "12.30", or an upper limit "< 0.20" where the interval holds zero
  std::string half_width;  ///< "1.6 %" of the value, or "0.15 us" where that percentage would mean nothing
};

/// With that many digits behind the point; `unit` is of value and half-width alike. What is not known shows
/// as
/// "-".
ShownInterval shown_interval(const Interval& interval, int digits, const char* unit);

}  // namespace kjoule
