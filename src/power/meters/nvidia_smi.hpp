#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "power/meters/power_source.hpp"

namespace kjoule {

/// The program nvidia-smi in its loop mode, asked again every `interval_s`.
std::unique_ptr<PowerSource> nvidia_smi_source(double interval_s);

/// What one line of `nvidia-smi --query-gpu=... --format=csv` says.
struct SmiRow {
  std::optional<int64_t> unix_ns{};
  std::string index{};
  std::string uuid{};
  std::string name{};
  std::optional<double> watts{};  ///< absent for [N/A]
};

/// The columns of such lines, in whatever order they were asked for.
class SmiColumns {
 public:
  /// Nothing when the line is no header with a column of power.
  static std::optional<SmiColumns> of_header(const std::string& line);
  /// Nothing when the line has not as many cells.
  std::optional<SmiRow> row(const std::string& line) const;

 private:
  size_t count_ = 0;
  std::optional<size_t> time_, index_, uuid_, name_, power_;
  double power_unit_ = 1;  ///< in watts
};

}  // namespace kjoule
