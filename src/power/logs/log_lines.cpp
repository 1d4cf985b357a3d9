#include "power/logs/log_lines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/files/csv.hpp"
#include "power/timestamp.hpp"

namespace kjoule {

namespace {

constexpr size_t kWattsupColumns = 2;  ///< always pm1 and pm2, whether the log has one meter or two

std::string cell(std::optional<double> watts, int digits) {
  return watts ? fmt::format("{:.{}f}", *watts, digits) : "";
}

}  // namespace

LogLines::LogLines(Format format, std::vector<std::string> meters)
    : format_(format), meters_(std::move(meters)) {}

std::string LogLines::header() const {
  if (format_ == Format::gpu) return "timestamp,gpu,power_w\n";
  if (format_ == Format::columns) {
    std::vector<std::string> cells{"timestamp"};
    for (const std::string& meter : meters_) cells.push_back(meter.ends_with("_w") ? meter : meter + "_w");
    return csv_line(cells) + "\n";
  }
  std::string line = "time,id";
  for (size_t m = 0; m < std::max(kWattsupColumns, meters_.size()); ++m) line += fmt::format(",pm{}", m + 1);
  return line + ",sum\n";
}

std::string LogLines::readings(int64_t unix_ns, int64_t id,
                               const std::vector<std::optional<double>>& watts) const {
  std::string line = fmt::format("{},{}", local_timestamp(unix_ns), id);
  std::optional<double> sum = 0;
  for (const auto& one : watts) {
    line.append(",").append(cell(one, 1));
    sum = sum && one ? std::optional(*sum + *one) : std::nullopt;
  }
  for (size_t m = watts.size(); m < kWattsupColumns; ++m) line += ",";
  return line.append(",").append(cell(sum, 1)).append("\n");
}

std::string LogLines::gpu(int64_t unix_ns, const std::string& gpu, double watts) const {
  return fmt::format("{},{},{:.3f}\n", local_timestamp(unix_ns), gpu, watts);
}

std::string LogLines::moment(int64_t unix_ns, const std::vector<std::optional<double>>& watts) const {
  std::string line = local_timestamp(unix_ns);
  for (const auto& one : watts) line.append(",").append(cell(one, 3));
  return line + "\n";
}

}  // namespace kjoule
