#pragma once
#include <fmt/format.h>

#include <string>

namespace kjoule {

/// Returns the last line of a table that does not show `more` of its kernels or groups; empty if it shows
/// all.
inline std::string more_rows_line(size_t more, const char* one = "kernel") {
  return more == 0
             ? ""
             : fmt::format("{:>9} more {}{} (--json or --csv lists all)\n", more, one, more == 1 ? "" : "s");
}

}  // namespace kjoule
