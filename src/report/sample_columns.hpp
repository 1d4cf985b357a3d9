#pragma once
#include <string>
#include <vector>

#include "prediction/samples.hpp"
#include "report/table_column.hpp"

namespace kjoule {

/// A sampled shape: a row of a table of samples.
struct ReportedSample {
  const Samples* samples = nullptr;
  size_t row = 0;

  /// Returns the sizes with their names, "b 2, l 1024".
  std::string shape() const;
};
/// Returns all rows of the table, into which they point.
std::vector<ReportedSample> rows_of(const Samples& samples);

/// Returns the columns of time, energy and power of the sampled directions, for pages.
std::vector<TableColumn<ReportedSample>> sample_columns(const Samples& samples);

}  // namespace kjoule
