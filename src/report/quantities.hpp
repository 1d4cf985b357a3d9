#pragma once
#include <optional>
#include <vector>

#include "compare/result.hpp"

namespace kjoule {

/// One of the times that a comparison is about.
struct NamedTime {
  const char* key;      ///< in comparison_report.json
  const char* label;    ///< in the table
  const char* meaning;  ///< what was timed
  std::optional<double> seconds;
  std::optional<double> half_width_s;
};

/// The program's own iteration, the whole and the sum of its kernels. The last two are compared.
std::vector<NamedTime> quantities_of(const Comparison& comparison);

}  // namespace kjoule
