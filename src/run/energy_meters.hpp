#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measure/energy/energy_measurement.hpp"
#include "power/logs/log_file.hpp"
#include "power/meters/meter.hpp"
#include "run/subject.hpp"

namespace kjoule {

/// Options of measuring energy: the meters, the precision and the time limit.
struct EnergyMeterOptions {
  bool off = false;
  std::string source;        ///< source as `kjoule power devices` names it; empty: the device's own counter
  std::string log;           ///< CSV file that another program is writing
  std::string exported_log;  ///< CSV file named by POWER_LOG_PATH; `source` and `log` take precedence
  double interval_s = 0.04;  ///< sampling interval, for sources that have an adjustable one
  std::string precision = "1.5%";
  double time_limit_s = 30;  ///< EnergyOptions::time_limit_s
  bool may_probe = true;     ///< whether a GPU's sensor is probed if its sampling rate is not known
  bool with_blocks = false;  ///< whether the command measures timed blocks
  /// Duration of the timed blocks (glossary), s; absent: so long that a named meter reads each at least 10
  /// times, and none without a named meter.
  std::optional<double> block_s{};

  /// Returns the source that the user named, in the form of power_source(); empty if none was named.
  std::string asked_source() const;
  /// Returns whether the user named a source; a missing meter is then an error.
  bool asked() const { return !asked_source().empty(); }
};

/// The meters of the device on which a subject runs. The first one is used; the others are for comparison.
struct EnergyMeters {
  std::vector<std::unique_ptr<Meter>> meters;
  std::string lack;  ///< why there are no meters; empty if there are
  /// Whether the meters run in real time: readings that are not polled are lost, so a thread has to poll
  /// them.
  bool real_time = true;
  /// Duration of each timed block, s, and of the readings before it that are not used; 0: no blocks.
  double block_s = 0, settle_s = 0;
  bool may_probe = false;  ///< EnergyMeterOptions::may_probe
  double patience_s = 5;   ///< the longest time until the first reading of a meter

  /// Starts the thread that polls the meters, if they need one. Unless the user named a meter, call it only
  /// when energy is measured: requests to the driver might delay launches while these are timed.
  void poll();
  /// Polls the meters and logs the last one of them, which has the most readings, to a new file from now on.
  /// Does nothing if they are logged already. Waits for the first reading of meters with blocks; throws Error
  /// if it does not come.
  void begin_log(const std::filesystem::path& path);
  /// As begin_log(), and logs the first meter to a file of its own.
  void begin_logs(const std::filesystem::path& first, const std::filesystem::path& last);
  bool is_logged() const { return !logs_.empty(); }
  /// Reads the sampling rates of the meters' sensors again, which may have been measured since they were
  /// opened. Call it before poll().
  void update_sensor_rates();
  /// Returns whether a meter asks the GPU's driver, which might delay launches while these are timed.
  bool ask_the_gpu() const;
  /// Reads the meters, so that their log is written.
  void read();
  /// Reads until each log contains a reading that is later than now, so that it covers what ended before. Of
  /// a counter, this takes longer than until its next reading: its power is logged at the middle between two.
  /// Gives up after patience_s seconds.
  void read_past_now();
  /// Closes the meters and their log.
  void close();

 private:
  /// The log of one meter.
  struct Log {
    explicit Log(const std::string& path) : file(path) {}
    LogFile file;
    int64_t last_unix_ns = 0;  ///< time of the last reading in it; 0 if there is none
  };

  /// Reads until each log contains a reading that is later than `unix_ns`; returns whether they came.
  bool log_past(int64_t unix_ns);
  /// Waits for the first reading in each log, if the meters have blocks. Throws Error if it does not come.
  void await_first_readings();
  /// Polls the meters, and logs one of them from now on.
  void log(std::unique_ptr<Meter>& meter, const std::filesystem::path& path);

  bool polled_ = false;
  std::vector<std::shared_ptr<Log>> logs_;  ///< shared with the meters that write to them
};

/// Returns the duration of a block, s, in which a meter has at least 10 readings.
double default_block_s(const MeterFacts& facts);

/// Opens the meters. Throws Error if the user named a source that is not available.
EnergyMeters open_energy_meters(const Subject& subject, const EnergyMeterOptions& options);

/// Opens a sensor and a reference meter, in this order, to compare their readings. Both are named as
/// power_source() names them. Without `block_s`, blocks are so long that both read each at least 10 times.
EnergyMeters open_compared_meters(const Subject& subject, const std::string& sensor,
                                  const std::string& reference, std::optional<double> block_s);

/// Returns the facts of a meter for reports.
nlohmann::json facts_json(const MeterFacts& facts);

}  // namespace kjoule
