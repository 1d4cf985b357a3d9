#pragma once
#include <string_view>

namespace kjoule {

/// Returns whether a column of a sweep's CSV contains times in us; the columns before it are the sizes of a
/// shape.
inline bool is_time_column(std::string_view name) {
  return name.ends_with("dur(us)");
}

}  // namespace kjoule
