#include "power/logs/log_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/error.hpp"

namespace kjoule {

namespace {

using Cells = std::vector<std::string_view>;

std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lowered;
}

std::string_view without(std::string_view text, std::string_view blanks) {
  const size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::optional<size_t> find(const std::vector<std::string>& header, std::string_view name) {
  const auto found = std::find(header.begin(), header.end(), name);
  if (found == header.end()) return {};
  return static_cast<size_t>(found - header.begin());
}

template <size_t count>
std::optional<size_t> find_first(const std::vector<std::string>& header,
                                 const std::array<std::string_view, count>& names) {
  for (const std::string_view name : names)
    if (const auto place = find(header, name)) return place;
  return {};
}

/// Returns the W of one unit of a column, by the end of its name.
double scale_of(std::string_view name) {
  if (name.ends_with("[mw]") || name.ends_with("_mw") || name.ends_with("(mw)")) return 1e-3;
  if (name.ends_with("[kw]") || name.ends_with("_kw") || name.ends_with("(kw)")) return 1e3;
  return 1;
}

/// Returns whether a name is "pm" and a number.
bool names_meter(std::string_view name) {
  return name.size() > 2 && name.starts_with("pm") &&
         name.find_first_not_of("0123456789", 2) == std::string_view::npos;
}

constexpr std::array<std::string_view, 8> kTimes{"timestamp", "time",        "datetime", "date_time",
                                                 "unix_time", "unix_time_s", "time_s",   "timestamp_s"};
constexpr std::array<std::string_view, 9> kPowers{
    "power_w", "power", "watts", "power_mw", "power [w]", "power (w)", "power_watts", "watt", "power [mw]"};
constexpr std::array<std::string_view, 9> kDevices{"gpu",  "index",    "gpu_index",  "gpu_id",    "device",
                                                   "uuid", "gpu_uuid", "pci.bus_id", "gpu_bus_id"};

std::optional<LogColumns> wattsup(const std::vector<std::string>& header) {
  LogColumns columns;
  columns.format = "wattsup";
  const auto time = find(header, "time");
  if (!time) return {};
  columns.time = *time;
  for (size_t c = 0; c < header.size(); ++c)
    if (names_meter(header[c])) columns.values.push_back({c, header[c], 1});
  columns.sum = find(header, "sum");
  if (columns.values.empty()) return {};
  return columns;
}

/// Returns a column's name without its unit: "power.draw.instant" for "power.draw.instant [W]".
std::string quantity(const std::string& name) {
  return name.substr(0, name.find(' '));
}

/// Returns the columns of nvidia-smi. If there are several columns of power.draw, the plain one is the
/// device's series; the names of the others are appended to the device's.
std::optional<LogColumns> nvidia_smi(const std::vector<std::string>& header) {
  LogColumns columns;
  columns.format = "nvidia-smi";
  const auto time = find(header, "timestamp");
  if (!time) return {};
  columns.time = *time;
  columns.device = find_first(header, kDevices);
  for (size_t c = 0; c < header.size(); ++c)
    if (header[c].starts_with("power.draw"))
      columns.values.push_back({c, quantity(header[c]), scale_of(header[c])});
  if (columns.values.empty()) return {};
  auto plain = std::find_if(columns.values.begin(), columns.values.end(),
                            [](const auto& value) { return value.name == "power.draw"; });
  if (plain == columns.values.end()) plain = columns.values.begin();
  plain->name.clear();
  return columns;
}

std::optional<LogColumns> plain(const std::vector<std::string>& header) {
  const auto time = find_first(header, kTimes);
  const auto power = find_first(header, kPowers);
  if (!time || !power) return {};
  LogColumns columns;
  columns.time = *time;
  columns.device = find_first(header, kDevices);
  columns.format = columns.device ? "gpu" : "csv";
  columns.values = {{*power, columns.device ? "" : header[*power], scale_of(header[*power])}};
  return columns;
}

/// Returns columns for logs with one column per meter, whose names end with the unit: "package-0_w".
std::optional<LogColumns> by_unit(const std::vector<std::string>& header) {
  const auto time = find_first(header, kTimes);
  if (!time) return {};
  LogColumns columns;
  columns.format = "csv";
  columns.time = *time;
  for (size_t c = 0; c < header.size(); ++c)
    if (header[c].ends_with("_w") || header[c].ends_with("_mw") || header[c].ends_with("_kw"))
      columns.values.push_back({c, header[c].substr(0, header[c].rfind('_')), scale_of(header[c])});
  if (columns.values.empty()) return {};
  return columns;
}

std::optional<size_t> number_from_1(const std::string& name) {
  size_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number == 0 || number > 10'000) return {};
  return number - 1;
}

size_t named(const std::vector<std::string>& header, const std::string& name, bool& by_number) {
  if (const auto place = find(header, lower(name))) return *place;
  const auto number = number_from_1(name);
  if (number && *number < header.size()) {
    by_number = true;
    return *number;
  }
  std::string all;
  for (const std::string& cell : header) all += (all.empty() ? "" : ", ") + cell.substr(0, 40);
  throw Error("no column " + name + " in the power log", "it has " + all.substr(0, 400));
}

LogColumns given(const std::vector<std::string>& header, const ColumnNames& names) {
  LogColumns columns;
  columns.format = "csv";
  bool by_number = false;
  const auto time = names.time.empty() ? find_first(header, kTimes) : named(header, names.time, by_number);
  const auto power =
      names.power.empty() ? find_first(header, kPowers) : named(header, names.power, by_number);
  if (!time) throw Error("no column of times is known in the power log", "name it with --time-column");
  if (!power) throw Error("no column of powers is known in the power log", "name it with --power-column");
  if (time == power)
    throw Error(fmt::format("column {} cannot hold both time and power", *time + 1), "name two columns");
  columns.time = *time;
  // If a column was named by number and its cell is a power, the first line is a reading and not a header.
  columns.has_header = !by_number || !read_watts(header[*power]);
  const std::string& name = header[*power];
  columns.values = {{*power, columns.has_header ? name : "power", columns.has_header ? scale_of(name) : 1}};
  const auto device = find_first(header, kDevices);
  if (columns.has_header && device && device != time && device != power) {
    columns.device = device;
    columns.values[0].name.clear();
  }
  return columns;
}

char separator_of(std::string_view header) {
  for (const char separator : {',', ';', '\t'})
    if (header.find(separator) != std::string_view::npos) return separator;
  return ',';
}

}  // namespace

size_t LogColumns::needed() const {
  size_t last = time;
  for (const Value& value : values) last = std::max(last, value.column);
  if (device) last = std::max(last, *device);
  return last + 1;
}

void split_cells(std::string_view line, char separator, Cells& cells) {
  cells.clear();
  while (true) {
    const size_t start = line.find_first_not_of(" ");
    size_t end = 0;
    if (start != std::string_view::npos && line[start] == '"') {
      const size_t quote = line.find('"', start + 1);
      end = line.find(separator, quote == std::string_view::npos ? start : quote);
    } else {
      end = line.find(separator);
    }
    std::string_view cell = without(line.substr(0, end), " \t");
    if (cell.size() > 1 && cell.front() == '"' && cell.back() == '"')
      cell = without(cell.substr(1, cell.size() - 2), " ");
    cells.push_back(cell);
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + 1);
  }
}

std::optional<LogColumns> find_columns(std::string_view line, const ColumnNames& names) {
  const char separator = separator_of(line);
  Cells cells;
  split_cells(line, separator, cells);
  std::vector<std::string> header;
  for (const std::string_view cell : cells) header.push_back(lower(cell));
  std::optional<LogColumns> columns;
  if (names.any())
    columns = given(header, names);
  else if (!(columns = wattsup(header)) && !(columns = nvidia_smi(header)) && !(columns = plain(header)))
    columns = by_unit(header);
  if (columns) columns->separator = separator;
  return columns;
}

std::optional<double> read_watts(std::string_view cell) {
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || !std::isfinite(value) || value < 0) return {};
  const std::string_view unit = without({end, static_cast<size_t>(cell.data() + cell.size() - end)}, " ");
  if (unit.empty() || unit == "W" || unit == "w") return value;
  if (unit == "mW") return 1e-3 * value;
  if (unit == "kW") return 1e3 * value;
  return {};
}

bool is_missing_reading(std::string_view cell) {
  if (cell.empty()) return true;
  if (cell.front() == '[') return true;
  const std::string text = lower(cell);
  return text == "n/a" || text == "nan" || text == "na" || text == "null" || text == "none" || text == "-";
}

}  // namespace kjoule
