#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "power/meters/meter.hpp"

namespace kjoule {

/// The error for a log whose columns do not have usual names. With other names, it may be readable.
class UnknownColumns : public Error {
 public:
  using Error::Error;
};

/// What the user says about the columns of a log. In a log without a header, a column's name is its number
/// from 1. "a+b" names several columns: powers that are added, or a date and a time.
struct ColumnNames {
  std::string time{};
  std::vector<std::string> powers{};
  /// The column that names the device of each line; "none" if all lines are of one device.
  std::string device{};
  std::optional<double> unit_w{};         ///< number of watts in the unit of the powers
  std::optional<int64_t> log_start_ns{};  ///< the Unix time from which the log counts its times
  bool any() const { return !time.empty() || !powers.empty(); }
  bool one_device() const { return device == "none"; }
};

/// The columns of a log and their contents.
struct LogColumns {
  struct Value {
    size_t column = 0;
    std::string title{};  ///< the column's name, which may state its unit; empty if the log has no header
    std::string name{};   ///< the name of its series; appended to the device's name if there are devices
    std::vector<size_t> added{};  ///< further columns, whose powers are added
    /// Whether the power is a part of that of another value, and is used only if the user names its series.
    bool part = false;
    bool zero_is_power = false;  ///< whether a column of several may state 0 W
    bool operator==(const Value&) const = default;
  };
  /// A column that distinguishes devices together with others: the host of "gpu 0", for example.
  struct Key {
    size_t column = 0;
    std::string title{};
    bool operator==(const Key&) const = default;
  };
  std::string format{};  ///< PowerLog::format
  char separator = ',';
  bool has_header = true;
  size_t count = 0;  ///< number of columns, without those at the end that have no name
  size_t time = 0;
  std::optional<size_t> time_of_day{};  ///< if `time` is the date
  std::string time_title{};             ///< the name of the column of times
  std::optional<size_t> device{};
  std::string device_name{};         ///< the name of the device column, in lower case
  std::string device_title = "gpu";  ///< what the device column names: "gpu", "host"
  std::vector<Key> keys{};
  std::vector<Value> values{};
  std::optional<size_t> sum{};  ///< the column with the sum of all values, with which they are checked

  bool operator==(const LogColumns&) const = default;
  /// Returns the part of the machine whose power the values are.
  Scope scope() const;
  /// Returns whether a column is one of those that are read.
  bool uses(size_t column) const;
  /// Returns the name of the series of a value: "gpu 0", "pm1".
  std::string series_name(const Value& value, std::string_view device_name) const;
};

/// Returns the columns that the first line of a log states, or no value if the line is not the header of a
/// power log. Throws Error if the line lacks a column of `names`, or if two columns have the name of a column
/// that is used.
std::optional<LogColumns> find_columns(std::string_view header, const ColumnNames& names);

/// Returns the columns with these titles that the user names. Throws Error like find_columns().
LogColumns named_columns(const std::vector<std::string>& titles, const ColumnNames& names);

/// Returns the name of the series of a column: its name without the unit, or the unit if there is no more.
std::string series_of_title(const std::string& title);

}  // namespace kjoule
