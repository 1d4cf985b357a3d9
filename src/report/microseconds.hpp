#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/csv.hpp"

namespace kjoule {

inline double us(double seconds) {
  return seconds * 1e6;
}
/// null where there is none.
inline nlohmann::ordered_json optional_us(const std::optional<double>& seconds) {
  return seconds ? nlohmann::ordered_json(us(*seconds)) : nlohmann::ordered_json();
}
/// For a cell of a CSV: empty where there is none.
inline std::string us_cell(const std::optional<double>& seconds) {
  return seconds ? number_cell(us(*seconds)) : "";
}

}  // namespace kjoule
