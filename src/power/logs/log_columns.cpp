#include "power/logs/log_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/error.hpp"
#include "power/logs/cells.hpp"
#include "power/logs/power_column.hpp"
#include "power/logs/power_unit.hpp"

namespace kjoule {

namespace {

using Names = std::vector<std::string>;

std::optional<size_t> find(const Names& header, std::string_view name) {
  const auto found = std::find(header.begin(), header.end(), name);
  if (found == header.end()) return {};
  return static_cast<size_t>(found - header.begin());
}

template <size_t count>
std::optional<size_t> find_first(const Names& header, const std::array<std::string_view, count>& names) {
  for (const std::string_view name : names)
    if (const auto place = find(header, name)) return place;
  return {};
}

/// Returns whether a name is "pm" and a number.
bool names_meter(std::string_view name) {
  return name.size() > 2 && name.starts_with("pm") &&
         name.find_first_not_of("0123456789", 2) == std::string_view::npos;
}

constexpr std::array<std::string_view, 8> kTimes{"timestamp", "time",        "datetime", "date_time",
                                                 "unix_time", "unix_time_s", "time_s",   "timestamp_s"};
constexpr std::array<std::string_view, 14> kPowers{
    "power_w",     "power", "watts",      "power_mw",   "power_kw",   "power [w]",  "power (w)",
    "power_watts", "watt",  "power [mw]", "power (mw)", "power [kw]", "power (kw)", "w"};
constexpr std::array<std::string_view, 9> kDevices{"gpu",  "index",    "gpu_index",  "gpu_id",    "device",
                                                   "uuid", "gpu_uuid", "pci.bus_id", "gpu_bus_id"};
/// Columns of nvidia-smi with the names of boards, which name the device if no other column does.
constexpr std::array<std::string_view, 2> kBoards{"name", "gpu_name"};

std::optional<LogColumns> wattsup(const Names& header) {
  LogColumns columns;
  columns.format = "wattsup";
  const auto time = find(header, "time");
  if (!time) return {};
  columns.time = *time;
  for (size_t c = 0; c < header.size(); ++c)
    if (names_meter(header[c])) columns.values.push_back({c, {}, header[c]});
  columns.sum = find(header, "sum");
  if (columns.values.empty()) return {};
  return columns;
}

/// Returns the columns of nvidia-smi. If several columns begin with power.draw, the series of the column
/// power.draw has the device's name; the other columns' names are appended to the device's name.
std::optional<LogColumns> nvidia_smi(const Names& header) {
  LogColumns columns;
  columns.format = "nvidia-smi";
  const auto time = find(header, "timestamp");
  if (!time) return {};
  columns.time = *time;
  columns.device = find_first(header, kDevices);
  if (!columns.device) columns.device = find_first(header, kBoards);
  for (size_t c = 0; c < header.size(); ++c)
    if (header[c].starts_with("power.draw"))
      columns.values.push_back({c, {}, header[c].substr(0, header[c].find(' '))});
  if (columns.values.empty()) return {};
  auto plain = std::find_if(columns.values.begin(), columns.values.end(),
                            [](const auto& value) { return value.name == "power.draw"; });
  if (plain == columns.values.end()) plain = columns.values.begin();
  plain->name.clear();
  return columns;
}

/// Returns the name of a column's series: the column's name without the unit, or the unit if there is no
/// more.
std::string series_of(const std::string& title) {
  const std::string quantity = ColumnTitle(title).quantity;
  return quantity.empty() ? lower(title) : quantity;
}

std::optional<LogColumns> plain(const Names& header) {
  const auto time = find_first(header, kTimes);
  const auto power = find_first(header, kPowers);
  if (!time || !power) return {};
  LogColumns columns;
  columns.time = *time;
  columns.device = find_first(header, kDevices);
  columns.format = columns.device ? "gpu" : "csv";
  columns.values = {{*power, {}, columns.device ? "" : series_of(header[*power])}};
  return columns;
}

/// Returns columns for logs with one column per meter, whose names end with the unit: "package-0_w".
std::optional<LogColumns> by_unit(const Names& header) {
  const auto time = find_first(header, kTimes);
  if (!time) return {};
  LogColumns columns;
  columns.format = "csv";
  columns.time = *time;
  for (size_t c = 0; c < header.size(); ++c)
    if (const auto& name = header[c]; name.ends_with("_w") || name.ends_with("_mw") || name.ends_with("_kw"))
      columns.values.push_back({c, {}, series_of(name)});
  if (columns.values.empty()) return {};
  return columns;
}

std::optional<size_t> number_from_1(const std::string& name) {
  size_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number == 0 || number > 10'000) return {};
  return number - 1;
}

size_t named(const Names& header, const std::string& name, bool& by_number) {
  if (const auto place = find(header, lower(name))) return *place;
  const auto number = number_from_1(name);
  if (number && *number < header.size()) {
    by_number = true;
    return *number;
  }
  std::string all;
  for (const std::string& cell : header) all += (all.empty() ? "" : ", ") + cell.substr(0, 40);
  throw Error("no column " + name + " in the power log", "choose one of its columns: " + all.substr(0, 400));
}

/// Returns the columns of power that the user named; without such names, the one that has a usual name.
std::vector<size_t> given_powers(const Names& header, const Names& asked, bool& by_number) {
  std::vector<size_t> powers;
  for (const std::string& name : asked) powers.push_back(named(header, name, by_number));
  if (const auto usual = find_first(header, kPowers); powers.empty() && usual) powers.push_back(*usual);
  if (powers.empty())
    throw Error("no column of the power log has a usual name for powers (power_w, watts, ...)",
                "name the column with --power-column (of power log: --column)");
  return powers;
}

LogColumns given(const Names& titles, const Names& header, const ColumnNames& names) {
  LogColumns columns;
  columns.format = "csv";
  bool by_number = false;
  const auto time = names.time.empty() ? find_first(header, kTimes) : named(header, names.time, by_number);
  if (!time)
    throw Error("no column of the power log has a usual name for times (timestamp, time, ...)",
                "name the column with --time-column");
  columns.time = *time;
  const auto device = find_first(header, kDevices);
  for (const size_t power : given_powers(header, names.powers, by_number)) {
    if (power == *time)
      throw Error(fmt::format("column {} was named as the column of times and of powers", *time + 1),
                  "name another column with --power-column (of power log: --column)");
    // If a column was named by number and its cell is a power, the first line is a reading and not a header.
    columns.has_header =
        columns.has_header && !(by_number && PowerColumn({}, Scope::unknown).read(titles[power]));
    if (device == power)
      throw Error(fmt::format("column {} contains the names of devices, not powers", power + 1),
                  "name another column with --power-column (of power log: --column)");
    columns.values.push_back({power, {}, {}});
  }
  if (columns.has_header && device != time) columns.device = device;
  for (LogColumns::Value& value : columns.values) {
    const bool one_of_device = columns.device && columns.values.size() == 1;
    value.name = !columns.has_header ? "power" : one_of_device ? "" : series_of(titles[value.column]);
    if (!columns.has_header && columns.values.size() > 1) value.name += fmt::format(" {}", value.column + 1);
  }
  return columns;
}

/// Throws Error if a column that is used has the same name as another column, because the name is then
/// ambiguous.
void refuse_equal_names(const Names& header, const LogColumns& columns) {
  std::vector<size_t> used{columns.time};
  if (columns.device) used.push_back(*columns.device);
  for (const LogColumns::Value& value : columns.values) used.push_back(value.column);
  for (const size_t column : used)
    if (std::count(header.begin(), header.end(), header[column]) > 1)
      throw Error(fmt::format("there are two columns {} in the power log", quoted_begin(header[column])),
                  "rename one of them in the file");
}

}  // namespace

Scope LogColumns::scope() const {
  if (device || format == "nvidia-smi") return Scope::gpu;
  return format == "wattsup" ? Scope::system : Scope::unknown;
}

std::string LogColumns::series_name(const Value& value, std::string_view gpu) const {
  if (!device) return value.name.empty() ? "power" : value.name;
  return fmt::format("gpu {}{}{}", gpu, value.name.empty() ? "" : " ", value.name);
}

std::optional<LogColumns> find_columns(std::string_view line, const ColumnNames& names) {
  const char separator = separator_of(line);
  Cells cells;
  split_cells(line, separator, cells);
  while (cells.size() > 1 && cells.back().empty()) cells.pop_back();
  const Names titles(cells.begin(), cells.end());
  Names header;
  for (const std::string& title : titles) header.push_back(lower(title));
  std::optional<LogColumns> columns;
  if (names.any())
    columns = given(titles, header, names);
  else if (!(columns = wattsup(header)) && !(columns = nvidia_smi(header)) && !(columns = plain(header)))
    columns = by_unit(header);
  if (!columns) return {};
  columns->separator = separator;
  columns->count = titles.size();
  if (!columns->has_header) return columns;
  refuse_equal_names(header, *columns);
  for (LogColumns::Value& value : columns->values) value.title = titles[value.column];
  return columns;
}

}  // namespace kjoule
