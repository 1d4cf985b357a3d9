#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kjoule {

/// The text of power logs: a header, and a line for each reading or second. docs/reference/formats.md
/// specifies them.
class LogLines {
 public:
  enum class Format { wattsup, gpu, columns };
  /// The names of the meters are the columns' in `columns`; in `wattsup` only their number counts.
  LogLines(Format format, std::vector<std::string> meters);

  Format format() const { return format_; }
  std::string header() const;
  /// wattsup: of one second; a meter without a reading has an empty cell, and so has then the sum.
  std::string second(int64_t unix_ns, int64_t id, const std::vector<std::optional<double>>& watts) const;
  /// gpu: of one reading.
  std::string gpu(int64_t unix_ns, const std::string& gpu, double watts) const;
  /// columns: of one moment; at least one meter has a reading.
  std::string moment(int64_t unix_ns, const std::vector<std::optional<double>>& watts) const;

 private:
  Format format_;
  std::vector<std::string> meters_;
};

}  // namespace kjoule
