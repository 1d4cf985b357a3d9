#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "prediction/gpu_rates.hpp"
#include "prediction/operator_kind.hpp"

namespace kjoule {

/// A row of a table that contradicts other rows or the peak rates of the GPU. This is no proof that the row
/// is wrong; a second measurement of its shape decides.
struct SuspiciousRow {
  size_t row = 0;            ///< number of the row, from 0
  double measured = 0;       ///< in us or J
  double expected = 0;       ///< the value that the other rows, or the peak rates, suggest
  std::string reason{};      ///< "slower than 3 larger shapes", ...
  double deviation() const;  ///< Returns the larger of measured / expected and its inverse.
};

/// Returns the numbers of the rows that find_suspicious_rows() compares with each other in a table of `count`
/// rows: all of them, or if they are too many, as many as can be compared in seconds, evenly spread.
std::vector<size_t> rows_compared_with_larger_shapes(size_t count);

/// Finds suspicious rows by four tests, whose limits follow from the scatter of the table, but are at least
/// 10 %: a time that is shorter than the peak rates allow (`rates`, for times only); a distance from
/// replicates; a value above that of larger shapes of the same alignment, among
/// rows_compared_with_larger_shapes(); and a distance from the value that
/// follows from the next smaller and the next larger sizes, in every column that has both. No model takes
/// part, so a row is not suspicious because a model cannot describe it. A row that fails several tests has
/// the reason of the first. Rows are sorted by deviation, the largest first.
std::vector<SuspiciousRow> find_suspicious_rows(const OperatorKind& kind,
                                                const std::vector<std::vector<double>>& shapes,
                                                const std::vector<double>& costs,
                                                const std::optional<GpuRates>& rates = {});

}  // namespace kjoule
