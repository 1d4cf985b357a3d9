#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "power/logs/device_series.hpp"
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
/// nvidia-smi's CSV, any CSV by the names of its columns, or a TextFormat. The samples of each series are
/// sorted by time; samples with the same time are replaced by their mean. The log has one warning for each
/// problem for which lines were ignored or corrected. Throws Error if the file is not a power log, lacks a
/// named column, contains no reading, or has ambiguous powers or times.
class PowerLogReader {
 public:
  /// `name` is the log's name in messages.
  explicit PowerLogReader(const std::string& name, const ColumnNames& names = {});

  /// Adds the next line. `ended` is false for a last line without a line end: its last number may be cut off.
  void take(std::string_view line, bool ended);
  /// Returns the log after its last line.
  PowerLog finish();

  /// Returns the titles of the log's header, or of the line that is most like one.
  const std::vector<std::string>& titles() const { return rows_.titles(); }

 private:
  void add(const LogRow& row);
  /// Adds the readings of a line to their series. Returns the problem of a line that has no readings, or
  /// null.
  LineCount* add_readings(const LogRow& row);
  std::optional<int64_t> time_of(const LogRow& row);
  void check_sum(const LogRow& row);
  std::vector<const LineCount*> kinds() const;
  void check_has_readings() const;
  void check_times() const;
  void check_watched() const;
  void report_lines();
  void order();
  void set_lags(const std::vector<size_t>& values);

  LogRowReader rows_;
  ColumnNames names_;
  std::optional<DeviceSeries> devices_;  ///< after the header
  TimestampReader times_;
  PowerLog log_;
  std::vector<std::string> order_warnings_;
  size_t readings_ = 0, bad_lines_ = 0;
  LineCount short_{"ignored: too few cells"};
  LineCount damaged_{"ignored: not readable"};
  LineCount no_time_{"ignored: time not readable"};
  LineCount no_device_{"ignored: no device"};
  LineCount no_power_{"ignored: power is not a number of at least 0"};
  LineCount zero_{"with 0 W, which is not a reading"};
  LineCount no_reading_{"without a reading of every meter"};
  LineCount unended_{"ignored: cut off by the end of the log"};
  LineCount other_sum_{"whose sum differs from that of the meters, which is used instead"};
};

/// Reads a power log in one pass. Throws Error if the file cannot be read, and the errors of PowerLogReader.
/// If the columns are not known, the file is read again to find names of columns with which it can be read;
/// the error states them.
PowerLog read_power_log(const std::filesystem::path& path, const ColumnNames& names = {});

/// Returns one log with the samples of all logs, sorted by time. Series of the same name are joined. `logs`
/// must not be empty.
PowerLog merged_logs(std::vector<PowerLog> logs);

}  // namespace kjoule
