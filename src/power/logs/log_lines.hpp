#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kjoule {

/// A function that is given a line of a power log and the time of its reading, which is 0 for the header.
using WriteLine = std::function<void(const std::string& line, int64_t unix_ns)>;

/// Creates the lines of power logs: a header, and one line for each reading or second.
/// docs/reference/formats.md specifies the formats.
class LogLines {
 public:
  enum class Format { wattsup, gpu, columns };
  /// `meters` are the names of the meters. They are the columns' names in the format `columns`; in `wattsup`
  /// only their number matters.
  LogLines(Format format, std::vector<std::string> meters);

  Format format() const { return format_; }
  std::string header() const;
  /// Returns the line of the meters' readings at one time in the format `wattsup`. If a meter has no reading,
  /// its cell and that of the sum are empty.
  std::string readings(int64_t unix_ns, int64_t id, const std::vector<std::optional<double>>& watts) const;
  /// Returns the line of one reading in the format `gpu`.
  std::string gpu(int64_t unix_ns, const std::string& gpu, double watts) const;
  /// Returns the line of one time in the format `columns`. At least one meter must have a reading.
  std::string moment(int64_t unix_ns, const std::vector<std::optional<double>>& watts) const;

 private:
  Format format_;
  std::vector<std::string> meters_;
};

}  // namespace kjoule
