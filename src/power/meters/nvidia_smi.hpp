#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "power/logs/power_column.hpp"
#include "power/meters/power_source.hpp"

namespace kjoule {

/// Returns the source that runs nvidia-smi in its loop mode (-lms), with one query every `interval_s`
/// seconds.
std::unique_ptr<PowerSource> nvidia_smi_source(double interval_s);

/// One line of `nvidia-smi --query-gpu=... --format=csv`.
struct SmiRow {
  std::optional<int64_t> unix_ns{};
  std::string index{};
  std::string uuid{};
  std::string name{};
  std::optional<double> watts{};  ///< absent for [N/A]
};

/// The columns of the lines of nvidia-smi, which may be in any order.
class SmiColumns {
 public:
  /// Returns no value if the line is not a header with a column of power.
  static std::optional<SmiColumns> of_header(const std::string& line);
  /// Returns no value if the line has another number of cells than the header. Throws the errors of
  /// PowerColumn.
  std::optional<SmiRow> row(const std::string& line);

 private:
  size_t count_ = 0;
  std::optional<size_t> time_, index_, uuid_, name_;
  size_t power_ = 0;
  std::optional<PowerColumn> powers_;
};

}  // namespace kjoule
