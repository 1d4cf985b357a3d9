#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "power/meters/meter.hpp"

namespace kjoule {

/// The names of columns that the user gave. In a log without a header, a column's name is its number from 1.
struct ColumnNames {
  std::string time;
  std::vector<std::string> powers;
  bool any() const { return !time.empty() || !powers.empty(); }
};

/// The columns of a log and their contents.
struct LogColumns {
  struct Value {
    size_t column = 0;
    std::string title;  ///< the column's name, which may state its unit; empty if the log has no header
    std::string name;   ///< the name of its series; appended to the device's name if there are devices
    bool operator==(const Value&) const = default;
  };
  std::string format;  ///< PowerLog::format
  char separator = ',';
  bool has_header = true;
  size_t count = 0;  ///< number of columns, without those at the end that have no name
  size_t time = 0;
  std::optional<size_t> device;
  std::vector<Value> values;
  std::optional<size_t> sum;  ///< the column with the sum of all values, with which they are checked

  bool operator==(const LogColumns&) const = default;
  /// Returns the part of the machine whose power the values are.
  Scope scope() const;
  /// Returns the name of the series of a value: "gpu 0", "pm1".
  std::string series_name(const Value& value, std::string_view gpu) const;
};

/// Returns the columns that the first line of a log states, or no value if the line is not the header of a
/// power log. Throws Error if the line lacks a column of `names`, or if two columns have the name of a column
/// that is used.
std::optional<LogColumns> find_columns(std::string_view header, const ColumnNames& names);

}  // namespace kjoule
