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
  bool off = false;          ///< whether no energy is measured
  std::string source;        ///< source as `kjoule power devices` names it; empty: the device's own counter
  std::string log;           ///< CSV file that another program is writing
  std::string exported_log;  ///< CSV file named by POWER_LOG_PATH; `source` and `log` take precedence
  double interval_s = 0.04;  ///< time between two samples, s, of sources that let the user choose it
  std::optional<double> averaging_s{};  ///< averaging time of the meter of a log, s, if the user states it
  std::string precision = "1.5%";       ///< EnergyOptions::precision, as the user wrote it
  double time_limit_s = 30;             ///< EnergyOptions::time_limit_s
  bool may_probe = true;     ///< whether a GPU's sensor is probed if its sampling rate is not known
  bool with_blocks = false;  ///< whether the command measures timed blocks (glossary)
  /// Whether timed blocks are also measured with a GPU's own meters, if the user named no meter.
  bool own_blocks = false;
  /// Whether a GPU's power samples are read so seldom that the program is not disturbed, if the user named no
  /// meter. Other meters are then not opened.
  bool own_samples = false;
  /// Duration of each timed block, s. If not set, each block is so long that the meter that the user named
  /// has at least 10 readings of it. If no meter is named either, there are no blocks.
  std::optional<double> block_s{};

  /// Returns the source that the user named, in the form of power_source(); empty if none was named.
  std::string asked_source() const;
  /// Returns whether the user named a source. If true, a missing meter is an error.
  bool asked() const { return !asked_source().empty(); }
};

/// The meters of a subject's device. The first meter gives the results; all others are for comparison.
struct EnergyMeters {
  std::vector<std::unique_ptr<Meter>> meters;
  std::string lack;  ///< why there are no meters; empty if there are
  /// Whether the meters run in real time (false on a simulated device). Readings of such meters are lost
  /// unless a thread polls the meters.
  bool real_time = true;
  /// `block_s` is the duration of each timed block, s; 0: no blocks. `settle_s` is the duration of the
  /// warm-up before each block, s.
  double block_s = 0, settle_s = 0;
  bool may_probe = false;  ///< EnergyMeterOptions::may_probe
  bool is_named = false;   ///< whether the user named the meters; missing readings are then an error
  double pause_s = 0;      ///< shortest pause between two polls of the meters, s
  double patience_s = 5;   ///< longest time to wait for the first reading of a meter, s

  /// Starts the thread that polls the meters, if the meters need polling. Unless the user named a meter, call
  /// this function only directly before energy is measured, not while launches are timed: requests to the
  /// driver may delay launches.
  void poll();
  /// Polls the meters from now on, and logs the last meter, which has the most readings, to a new file. Does
  /// nothing if the meters are already logged. If there are timed blocks, waits for the first reading. Throws
  /// Error if this reading does not come within patience_s.
  void begin_log(const std::filesystem::path& path);
  /// Like begin_log() for the file `last`, and also logs the first meter to the file `first`.
  void begin_logs(const std::filesystem::path& first, const std::filesystem::path& last);
  /// Polls the meters from now on, and logs one of them (an index in `meters`) to a new file.
  void log_meter(size_t meter, const std::filesystem::path& path) { log(meters.at(meter), path); }
  bool is_logged() const { return !logs_.empty(); }
  /// Reads the file of sampling rates again, because the rates of the meters' sensors may have been measured
  /// since the meters were opened. Call this function before poll().
  void update_sensor_rates();
  /// Returns whether a meter sends requests to the GPU's driver. Such requests may delay launches, so that
  /// the times of launches would be wrong.
  bool ask_the_gpu() const;
  /// Reads the meters, so that their readings are written to the log.
  void read();
  /// Reads the meters until each log contains a reading that is later than now, so that each log covers all
  /// work that has ended. For an energy counter, this takes more than one sensor interval, because the power
  /// between two readings of the counter is logged at the mean of their times. Gives up after patience_s.
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

  /// Reads until each log contains a reading that is later than `unix_ns`. Returns false if a log has none
  /// after patience_s.
  bool log_past(int64_t unix_ns);
  /// If there are timed blocks, waits for the first reading in each log. Throws Error if a first reading does
  /// not come within patience_s.
  void await_first_readings();
  /// Polls the meters from now on, and logs `meter` to the file `path`.
  void log(std::unique_ptr<Meter>& meter, const std::filesystem::path& path);

  bool polled_ = false;
  std::vector<std::shared_ptr<Log>> logs_;  ///< shared with the meters that write to them
};

/// Returns the duration of a timed block, s: at least 10 readings of the meter, and kAveragingTimes of its
/// averaging times.
double default_block_s(const MeterFacts& facts);

/// Opens the meters. Throws Error if the user named a source that is not available.
EnergyMeters open_energy_meters(const Subject& subject, const EnergyMeterOptions& options);

/// Opens the meters of the GPU with this UUID. Throws Error if the user named a source that is not available.
EnergyMeters open_gpu_meters(const std::string& uuid, const EnergyMeterOptions& options);

/// Opens a sensor and a reference meter, in this order, to compare their readings. `sensor` and `reference`
/// are names in the form of power_source(). Without `block_s`, each timed block is so long that both meters
/// have at least 10 readings of it.
EnergyMeters open_compared_meters(const Subject& subject, const std::string& sensor,
                                  const std::string& reference, std::optional<double> block_s);

/// Returns the facts of a meter for reports.
nlohmann::json facts_json(const MeterFacts& facts);

}  // namespace kjoule
