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
/// Columns of times that are counted from the start of the log.
constexpr std::array<std::string_view, 16> kElapsed{
    "elapsed",       "elapsed_s",        "elapsed_ms", "elapsed (s)",
    "elapsed [s]",   "time_ms",          "time (s)",   "time [s]",
    "relative_time", "time_since_start", "seconds",    "elapsed_time",
    "time (ms)",     "time [ms]",        "t",          "t_s"};
constexpr std::array<std::string_view, 14> kPowers{
    "power_w",     "power", "watts",      "power_mw",   "power_kw",   "power [w]",  "power (w)",
    "power_watts", "watt",  "power [mw]", "power (mw)", "power [kw]", "power (kw)", "w"};
/// Columns of powers of amd-smi, in W.
constexpr std::array<std::string_view, 4> kAmdPowers{"socket_power", "power_usage", "average_socket_power",
                                                     "current_socket_power"};
constexpr std::array<std::string_view, 9> kDevices{"gpu",  "index",    "gpu_index",  "gpu_id",    "device",
                                                   "uuid", "gpu_uuid", "pci.bus_id", "gpu_bus_id"};
/// Columns of nvidia-smi with the names of boards, which name the device if no other column does.
constexpr std::array<std::string_view, 2> kBoards{"name", "gpu_name"};
/// Columns that name a device, or a part of its name. Those of hosts come first, because one host may have
/// several devices.
constexpr std::array<std::string_view, 24> kKeys{
    "host",    "hostname", "host_name", "node",    "nodename", "node_name",   "machine", "server",
    "chassis", "instance", "rank",      "package", "socket",   "domain",      "zone",    "rail",
    "channel", "card",     "meter",     "sensor",  "xcp",      "device_name", "name",    "gpu_name"};

/// Adds the columns that distinguish devices and are not used otherwise.
void add_keys(const Names& header, LogColumns& columns) {
  const auto add = [&](std::string_view name) {
    const auto place = find(header, name);
    if (place && !columns.uses(*place)) columns.keys.push_back({*place, std::string(name)});
  };
  for (const std::string_view name : kKeys) add(name);
  if (columns.device)
    for (const std::string_view name : kDevices) add(name);
}

std::optional<LogColumns> wattsup(const Names& header) {
  LogColumns columns;
  columns.format = "wattsup";
  const auto time = find(header, "time");
  if (!time) return {};
  columns.time = *time;
  for (size_t c = 0; c < header.size(); ++c)
    if (names_meter(header[c])) columns.values.push_back({.column = c, .name = header[c]});
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
      columns.values.push_back({.column = c, .name = header[c].substr(0, header[c].find(' '))});
  if (columns.values.empty()) return {};
  auto plain = std::find_if(columns.values.begin(), columns.values.end(),
                            [](const auto& value) { return value.name == "power.draw"; });
  if (plain == columns.values.end()) plain = columns.values.begin();
  plain->name.clear();
  return columns;
}

/// Returns the column of times: one with a usual name, or with a usual name for times from the start of the
/// log if the user says when that was.
std::optional<size_t> usual_time(const Names& header, const ColumnNames& names) {
  if (names.log_start_ns)
    if (const auto elapsed = find_first(header, kElapsed)) return elapsed;
  return find_first(header, kTimes);
}

std::optional<LogColumns> plain(const Names& header, const ColumnNames& names) {
  const auto time = usual_time(header, names);
  const auto power = find_first(header, kPowers);
  if (!time || !power) return {};
  LogColumns columns;
  columns.time = *time;
  columns.device = find_first(header, kDevices);
  columns.format = columns.device ? "gpu" : "csv";
  columns.values = {{.column = *power, .name = columns.device ? "" : series_of_title(header[*power])}};
  return columns;
}

/// Returns the columns of amd-smi, which writes its times only if it repeats its readings.
std::optional<LogColumns> amd_smi(const Names& header) {
  const auto power = find_first(header, kAmdPowers);
  const auto device = find(header, "gpu");
  if (!power || !device) return {};
  const auto time = find(header, "timestamp");
  if (!time)
    throw Error("a log of amd-smi without times",
                "repeat the readings, so that amd-smi writes their times: amd-smi metric -p --csv -w 1");
  LogColumns columns;
  columns.format = "amd-smi";
  columns.time = *time;
  columns.device = device;
  columns.values = {{.column = *power}};
  return columns;
}

/// Returns columns for logs with one column per meter, whose names end with the unit: "package-0_w".
std::optional<LogColumns> by_unit(const Names& header, const ColumnNames& names) {
  const auto time = usual_time(header, names);
  if (!time) return {};
  LogColumns columns;
  columns.format = "csv";
  columns.time = *time;
  for (size_t c = 0; c < header.size(); ++c)
    if (const auto& name = header[c]; name.ends_with("_w") || name.ends_with("_mw") || name.ends_with("_kw"))
      columns.values.push_back({.column = c, .name = series_of_title(name)});
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

/// Returns the columns that "a+b" names: the column of this name, or all of its parts.
std::vector<size_t> added(const Names& header, const std::string& name, bool& by_number) {
  if (find(header, lower(name)) || name.find('+') == std::string::npos)
    return {named(header, name, by_number)};
  std::vector<size_t> columns;
  for (size_t from = 0; from <= name.size();) {
    const size_t end = std::min(name.find('+', from), name.size());
    columns.push_back(named(header, std::string(trimmed(name.substr(from, end - from))), by_number));
    from = end + 1;
  }
  return columns;
}

/// Returns the columns of power that the user named, added columns together; without such names, the one that
/// has a usual name.
std::vector<std::vector<size_t>> given_powers(const Names& header, const Names& asked, bool& by_number) {
  std::vector<std::vector<size_t>> powers;
  for (const std::string& name : asked) powers.push_back(added(header, name, by_number));
  auto usual = find_first(header, kPowers);
  if (!usual) usual = find_first(header, kAmdPowers);
  if (powers.empty() && usual) powers.push_back({*usual});
  if (powers.empty())
    throw UnknownColumns("no column of the power log has a usual name for powers (power_w, watts, ...)",
                         "name the column with --power-column (of power log: --column)");
  return powers;
}

/// Sets the column of times, or of dates and times of day, that the user named.
void set_given_time(const Names& header, const ColumnNames& names, bool& by_number, LogColumns& columns) {
  std::vector<size_t> times;
  if (!names.time.empty())
    times = added(header, names.time, by_number);
  else if (const auto usual = usual_time(header, names))
    times = {*usual};
  if (times.empty())
    throw UnknownColumns("no column of the power log has a usual name for times (timestamp, time, ...)",
                         "name the column with --time-column");
  if (times.size() > 2)
    throw Error("--time-column " + names.time + ": names more than two columns",
                "name one column of times, or the columns of date and time of day: date+time");
  columns.time = times.front();
  if (times.size() == 2) columns.time_of_day = times.back();
}

/// Returns the name of a value's series: the names of its columns with "+", or "power" if there are no names.
std::string series_of_value(const Names& titles, const LogColumns& columns, const LogColumns::Value& value) {
  if (!columns.has_header)
    return columns.values.size() == 1 ? "power" : fmt::format("power {}", value.column + 1);
  std::string name = series_of_title(titles[value.column]);
  for (const size_t column : value.added) name += "+" + series_of_title(titles[column]);
  return name;
}

/// Adds the value of the columns `power`, whose powers are added. Notes whether the first line is a row.
void add_given_power(const Names& titles, const std::vector<size_t>& power, bool by_number,
                     LogColumns& columns) {
  for (const size_t column : power) {
    if (column == columns.time || column == columns.time_of_day)
      throw Error(fmt::format("column {} was named as the column of times and of powers", column + 1),
                  "name another column with --power-column (of power log: --column)");
    // If a column was named by number and its cell is a power, the first line is a reading and not a header.
    columns.has_header =
        columns.has_header && !(by_number && PowerColumn({}, Scope::unknown, 1).read(titles[column]));
  }
  columns.values.push_back({.column = power.front(), .added = {power.begin() + 1, power.end()}});
}

/// Sets the column that names the device as the user says.
void set_given_device(const Names& header, const ColumnNames& names, LogColumns& columns) {
  if (names.device.empty()) return;
  columns.keys.clear();
  columns.device.reset();
  if (names.one_device()) return;
  bool by_number = false;
  columns.device = named(header, names.device, by_number);
  const bool is_gpu = std::find(kDevices.begin(), kDevices.end(), header[*columns.device]) != kDevices.end();
  columns.device_title = by_number ? "device" : is_gpu ? "gpu" : header[*columns.device];
  if (columns.values.size() == 1) columns.values.front().name.clear();
}

/// Sets the column that has a usual name for devices, unless the user named it for something else.
void set_usual_device(const Names& header, LogColumns& columns) {
  for (const std::string_view name : kDevices) {
    const auto place = find(header, name);
    if (!place || columns.uses(*place)) continue;
    columns.device = place;
    return;
  }
}

/// Throws Error if a column that is used has the same name as another column, because the name is then
/// ambiguous.
void refuse_equal_names(const Names& header, const LogColumns& columns) {
  for (size_t column = 0; column < header.size(); ++column)
    if (columns.uses(column) && std::count(header.begin(), header.end(), header[column]) > 1)
      throw Error(fmt::format("there are two columns {} in the power log", quoted_begin(header[column])),
                  "rename one of them in the file");
}

}  // namespace

Scope LogColumns::scope() const {
  if ((device && device_title == "gpu") || format == "nvidia-smi") return Scope::gpu;
  if (format == "turbostat") return Scope::cpu;
  return format == "wattsup" || format == "ptdaemon" ? Scope::system : Scope::unknown;
}

bool LogColumns::uses(size_t column) const {
  if (column == time || column == time_of_day || column == device) return true;
  return std::any_of(values.begin(), values.end(), [column](const Value& value) {
    return value.column == column ||
           std::find(value.added.begin(), value.added.end(), column) != value.added.end();
  });
}

std::string LogColumns::series_name(const Value& value, std::string_view device_name) const {
  if (!device) return value.name.empty() ? "power" : value.name;
  return fmt::format("{} {}{}{}", device_title, device_name, value.name.empty() ? "" : " ", value.name);
}

std::string series_of_title(const std::string& title) {
  try {
    const std::string quantity = ColumnTitle(title).quantity;
    return quantity.empty() ? lower(title) : quantity;
  } catch (const Error&) {  // The user states the unit, or the error is reported when cells are read.
    return lower(title);
  }
}

LogColumns named_columns(const std::vector<std::string>& titles, const ColumnNames& names) {
  Names header;
  for (const std::string& title : titles) header.push_back(lower(title));
  LogColumns columns;
  columns.format = "csv";
  bool by_number = false;
  set_given_time(header, names, by_number, columns);
  for (const std::vector<size_t>& power : given_powers(header, names.powers, by_number))
    add_given_power(titles, power, by_number, columns);
  if (columns.has_header) set_usual_device(header, columns);
  if (columns.has_header) add_keys(header, columns);
  set_given_device(header, names, columns);
  for (LogColumns::Value& value : columns.values) {
    const bool one_of_device = columns.device && columns.values.size() == 1;
    value.name = one_of_device ? "" : series_of_value(titles, columns, value);
  }
  return columns;
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
  if (names.any()) {
    columns = named_columns(titles, names);
  } else if ((columns = wattsup(header))) {
    if (!names.device.empty() && !names.one_device())
      throw Error(
          fmt::format("--device-column {}: a log of WattsUp meters has a column for each meter, and no "
                      "column that names it",
                      names.device),
          "omit it, and choose a meter with --series");
  } else {
    if (!(columns = nvidia_smi(header)) && !(columns = plain(header, names)) && !(columns = amd_smi(header)))
      columns = by_unit(header, names);
    if (columns) add_keys(header, *columns);
    if (columns) set_given_device(header, names, *columns);
  }
  if (!columns) return {};
  columns->separator = separator;
  columns->count = titles.size();
  if (!columns->has_header) return columns;
  refuse_equal_names(header, *columns);
  columns->time_title = titles[columns->time];
  if (columns->device) columns->device_name = header[*columns->device];
  for (LogColumns::Value& value : columns->values) value.title = titles[value.column];
  return columns;
}

}  // namespace kjoule
