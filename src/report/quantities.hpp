#pragma once
#include <optional>
#include <vector>

#include "compare/iteration/comparison.hpp"

namespace kjoule {

/// One of the times that a comparison reports.
struct NamedTime {
  const char* key;      ///< name in comparison_report.json
  const char* label;    ///< label in the table
  const char* meaning;  ///< description of what was timed
  std::optional<double> seconds;
  std::optional<double> half_width_s;
};

/// Returns the times of the program's own iteration, of the whole and of the sum. The verdict compares the
/// last two.
std::vector<NamedTime> quantities_of(const Comparison& comparison);

}  // namespace kjoule
