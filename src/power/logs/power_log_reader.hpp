#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "power/logs/log_rows.hpp"
#include "power/logs/power_log.hpp"
#include "power/timestamp.hpp"

namespace kjoule {

/// The lines of one kind: their number, and the first of them.
struct LineCount {
  std::string kind;  ///< what follows the number in a message
  size_t count = 0, first = 0;
  void add(size_t line) {
    if (count++ == 0) first = line;
  }
  /// Returns "2 lines ignored: too few cells (the first is line 6)".
  std::string describe() const;
};

/// Collects the lines of a complete power log: WattsUp (time,id,pm1,pm2,sum), gpu (timestamp,gpu,power_w),
/// nvidia-smi's CSV, or any CSV by the names of its columns. The samples of each series are sorted by time;
/// samples of the same time are replaced by their mean. Each kind of line that was ignored or corrected is
/// one line of `warnings`, with the number of the first. Throws Error if the file is not a power log, lacks a
/// named column, contains no reading, or may mean other powers or times than it seems to.
class PowerLogReader {
 public:
  /// `name` is the log's name in messages.
  explicit PowerLogReader(const std::string& name, const ColumnNames& names = {});

  /// Adds the next line. `ended` is false for a last line without an end, whose number may be cut off.
  void take(std::string_view line, bool ended);
  /// Returns the log after its last line.
  PowerLog finish();

 private:
  void add(const LogRow& row);
  /// Adds the readings of a line to their series. Returns what is wrong with a line that has none.
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

  LogRowReader rows_;
  std::vector<std::string> devices_;
  TimestampReader times_;
  PowerLog log_;
  size_t readings_ = 0, bad_lines_ = 0;
  LineCount short_{"ignored: too few cells"};
  LineCount no_time_{"ignored: time not readable"};
  LineCount no_device_{"ignored: no device"};
  LineCount no_power_{"ignored: power is not a number of at least 0"};
  LineCount zero_{"with 0 W, which is no reading"};
  LineCount no_reading_{"without a reading of every meter"};
  LineCount unended_{"ignored: cut off by the end of the log"};
  LineCount other_sum_{"with a sum that is not that of the meters; the meters are used"};
};

/// Reads a power log in one pass. Throws Error if the file cannot be read, and those of PowerLogReader.
PowerLog read_power_log(const std::filesystem::path& path, const ColumnNames& names = {});

/// Returns one log with the samples of all logs, which are of the same meters, by time. There is at least one
/// log.
PowerLog merged_logs(std::vector<PowerLog> logs);

}  // namespace kjoule
