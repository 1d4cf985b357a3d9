#include "power/logs/csv_follower.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "power/logs/cells.hpp"

namespace kjoule {

namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// Returns a column's name without its unit, in lower case: "power.draw" for "power.draw [W]".
std::string bare_name(const std::string& name) {
  const std::string low = lower(name);
  const size_t unit = low.find(" [");
  return low.substr(0, unit);
}

bool is_time(const std::string& name) {
  const std::string bare = bare_name(name);
  return bare == "timestamp" || bare == "time" || bare == "datetime" || bare == "date";
}

bool is_power(const std::string& name) {
  static constexpr std::array usual{"power_w",           "power", "watts", "watt", "w",   "power_watts",
                                    "power_mw",          "pm1",   "pm2",   "pm3",  "pm4", "power.draw",
                                    "power.draw.instant"};
  const std::string bare = bare_name(name);
  return std::find(usual.begin(), usual.end(), bare) != usual.end() || bare.ends_with("_w") ||
         bare.ends_with("_watts");
}

bool is_gpu(const std::string& name) {
  const std::string bare = bare_name(name);
  return bare == "gpu" || bare == "index" || bare == "gpu_index";
}

size_t column_named(const std::vector<std::string>& names, const std::string& name) {
  const auto it = std::find_if(names.begin(), names.end(), [&name](const std::string& column) {
    return column == name || bare_name(column) == lower(name);
  });
  if (it != names.end()) return static_cast<size_t>(it - names.begin());
  throw Error(fmt::format("no column {}", name), fmt::format("there are {}", fmt::join(names, ", ")));
}

}  // namespace

CsvFollower::CsvFollower(std::filesystem::path path) : path_(std::move(path)) {
  const int file = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 && errno == EACCES)
    throw Error(path_.string() + ": may not be read", "check its permissions (ls -l)");
  if (file < 0)
    throw Error(
        fmt::format("{}: {}", path_.string(), errno == ENOENT ? "no such file" : std::strerror(errno)),
        "start the program that writes it first, or check the name");
  close(file);
}

std::vector<std::string> CsvFollower::read() {
  from_beginning_ = false;
  const int file = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  gone_ = file < 0 || fstat(file, &status) != 0;
  if (gone_) {
    if (file >= 0) close(file);
    return {};
  }
  if (status.st_ino != file_ || static_cast<uint64_t>(status.st_size) < offset_) {
    file_ = status.st_ino;
    offset_ = 0;
    partial_line_.clear();
    header_next_ = true;
  }
  std::array<char, 65536> part{};
  for (ssize_t got = 0; (got = pread(file, part.data(), part.size(), static_cast<off_t>(offset_))) > 0;) {
    partial_line_.append(part.data(), static_cast<size_t>(got));
    offset_ += static_cast<uint64_t>(got);
  }
  close(file);
  std::vector<std::string> lines;
  size_t from = 0;
  for (size_t end = 0; (end = partial_line_.find('\n', from)) != std::string::npos; from = end + 1)
    lines.push_back(partial_line_.substr(from, end - from));
  partial_line_.erase(0, from);
  from_beginning_ = header_next_ && !lines.empty();
  if (from_beginning_) header_next_ = false;
  return lines;
}

CsvColumns CsvColumns::of_header(const std::string& line, const std::string& time,
                                 const std::vector<std::string>& powers) {
  CsvColumns columns;
  columns.names = split_cells(line);
  columns.count = columns.names.size();
  for (size_t i = 0; i < columns.count; ++i) {
    const std::string& name = columns.names[i];
    if (time.empty() && !columns.time && is_time(name)) columns.time = i;
    if (!columns.gpu && is_gpu(name)) columns.gpu = i;
    if (powers.empty() && is_power(name)) columns.powers.push_back(i);
  }
  if (!time.empty()) columns.time = column_named(columns.names, time);
  for (const std::string& power : powers) columns.powers.push_back(column_named(columns.names, power));
  if (columns.powers.empty())
    throw Error(fmt::format("no column of power among {}", fmt::join(columns.names, ", ")),
                "name it with --column");
  return columns;
}

std::optional<double> CsvColumns::watts(const std::vector<std::string>& cells, size_t column) const {
  auto watts = parse_watts(cells[column]);
  const bool milli = names[column].ends_with("[mW]") || lower(names[column]).ends_with("_mw");
  const bool unit_in_cell = cells[column].find(' ') != std::string::npos;
  if (watts && milli && !unit_in_cell) *watts /= 1000;
  return watts;
}

}  // namespace kjoule
