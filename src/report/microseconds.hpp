#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/files/csv.hpp"

namespace kjoule {

inline double us(double seconds) {
  return seconds * 1e6;
}
/// Returns the time in microseconds, or null if it is not available.
inline nlohmann::ordered_json optional_us(const std::optional<double>& seconds) {
  return seconds ? nlohmann::ordered_json(us(*seconds)) : nlohmann::ordered_json();
}
/// Returns the time in microseconds for a CSV cell, or an empty text if it is not available.
inline std::string us_cell(const std::optional<double>& seconds) {
  return seconds ? number_cell(us(*seconds)) : "";
}

}  // namespace kjoule
