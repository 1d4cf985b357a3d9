#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "power/logs/log_rows.hpp"
#include "power/logs/power_log.hpp"
#include "power/timestamp.hpp"

namespace kjoule {

/// The number of lines of a log that have the same problem.
struct LineCount {
  std::string kind;             ///< the problem; the text that follows "2 lines" in a message
  size_t count = 0, first = 0;  ///< number of lines, and the line number of the first
  void add(size_t line) {
    if (count++ == 0) first = line;
  }
  /// Returns "2 lines ignored: too few cells (the first is line 6)".
  std::string describe() const;
};

/// Collects the lines of a complete power log: WattsUp (time,id,pm1,pm2,sum), gpu (timestamp,gpu,power_w),
/// nvidia-smi's CSV, or any CSV by the names of its columns. The samples of each series are sorted by time;
/// samples with the same time are replaced by their mean. The log has one warning for each problem for which
/// lines were ignored or corrected. Throws Error if the file is not a power log, lacks a named column,
/// contains no reading, or has ambiguous powers or times.
class PowerLogReader {
 public:
  /// `name` is the log's name in messages.
  explicit PowerLogReader(const std::string& name, const ColumnNames& names = {});

  /// Adds the next line. `ended` is false for a last line without a line end: its last number may be cut off.
  void take(std::string_view line, bool ended);
  /// Returns the log after its last line.
  PowerLog finish();

 private:
  void add(const LogRow& row);
  /// Adds the readings of a line to their series. Returns the problem of a line that has no readings, or
  /// null.
  LineCount* add_readings(const LogRow& row);
  void check_sum(const LogRow& row);
  /// Returns the index of the first series of a device, or no value if the cell names no device. Creates the
  /// series when the device occurs for the first time.
  std::optional<size_t> series_of(std::string_view device);
  std::vector<const LineCount*> kinds() const;
  void check_has_readings() const;
  void check_times() const;
  void report_lines();
  void order();
  void set_lags();

  LogRowReader rows_;
  std::vector<std::string> devices_;
  TimestampReader times_;
  PowerLog log_;
  size_t readings_ = 0, bad_lines_ = 0;
  LineCount short_{"ignored: too few cells"};
  LineCount no_time_{"ignored: time not readable"};
  LineCount no_device_{"ignored: no device"};
  LineCount no_power_{"ignored: power is not a number of at least 0"};
  LineCount zero_{"with 0 W, which is not a reading"};
  LineCount no_reading_{"without a reading of every meter"};
  LineCount unended_{"ignored: cut off by the end of the log"};
  LineCount other_sum_{"whose sum differs from that of the meters, which is used instead"};
};

/// Reads a power log in one pass. Throws Error if the file cannot be read, and the errors of PowerLogReader.
PowerLog read_power_log(const std::filesystem::path& path, const ColumnNames& names = {});

/// Returns one log with the samples of all logs, sorted by time. Series of the same name are joined. `logs`
/// must not be empty.
PowerLog merged_logs(std::vector<PowerLog> logs);

}  // namespace kjoule
