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
  double interval_s = 0.04;  ///< sampling interval of sources in which it can be set
  std::optional<double> averaging_s{};  ///< averaging time of the meter of a log, as the user states it, s
  std::string precision = "1.5%";       ///< EnergyOptions::precision, as the user wrote it
  double time_limit_s = 30;             ///< EnergyOptions::time_limit_s
  bool may_probe = true;     ///< whether a GPU's sensor is probed if its sampling rate is not known
  bool with_blocks = false;  ///< whether the command measures timed blocks
  /// Whether timed blocks are also measured with a GPU's own meters, if the user named no meter.
  bool own_blocks = false;
  /// Whether a GPU's power samples are read so seldom that the program is not disturbed, if the user named no
  /// meter. Other meters are then not opened.
  bool own_samples = false;
  /// Duration of each timed block (glossary), s. If absent, blocks are so long that the meter that the user
  /// named has at least 10 readings of each; without a named meter, there are no blocks.
  std::optional<double> block_s{};

  /// Returns the source that the user named, in the form of power_source(); empty if none was named.
  std::string asked_source() const;
  /// Returns whether the user named a source. If so, a missing meter is an error.
  bool asked() const { return !asked_source().empty(); }
};

/// The meters of a subject's device. The first one gives the results; the others are for comparison.
struct EnergyMeters {
  std::vector<std::unique_ptr<Meter>> meters;
  std::string lack;  ///< why there are no meters; empty if there are
  /// Whether the meters run in real time. Their readings are lost unless they are polled, so a thread polls
  /// them.
  bool real_time = true;
  /// Duration of each timed block, s, and of the repeats before it that are not used, s; 0: no blocks.
  double block_s = 0, settle_s = 0;
  bool may_probe = false;  ///< EnergyMeterOptions::may_probe
  bool is_named = false;   ///< whether the user named the meters; missing readings are then an error
  double pause_s = 0;      ///< shortest pause between two polls of the meters, s
  double patience_s = 5;   ///< longest time to wait for the first reading of a meter, s

  /// Starts the thread that polls the meters, if they need one. Unless the user named a meter, it is to be
  /// called only before energy is measured: requests to the driver may delay launches while these are timed.
  void poll();
  /// Polls the meters from now on, and logs the last one, which has the most readings, to a new file. Does
  /// nothing if the meters are already logged. If there are timed blocks, waits for the first reading, and
  /// throws Error if it does not come within patience_s.
  void begin_log(const std::filesystem::path& path);
  /// Like begin_log() for the file `last`, and also logs the first meter to the file `first`.
  void begin_logs(const std::filesystem::path& first, const std::filesystem::path& last);
  bool is_logged() const { return !logs_.empty(); }
  /// Reads the file of sampling rates again, because the rates of the meters' sensors may have been measured
  /// since the meters were opened. To be called before poll().
  void update_sensor_rates();
  /// Returns whether a meter sends requests to the GPU's driver, which may delay launches while these are
  /// timed.
  bool ask_the_gpu() const;
  /// Reads the meters, so that their readings are written to the log.
  void read();
  /// Reads until each log contains a reading that is later than now, so that it covers all work that has
  /// ended. This takes more than one sensor interval for a counter, because a power between two of its
  /// readings is logged at their mean time. Stops after patience_s.
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
  /// If there are timed blocks, waits for the first reading in each log. Throws Error if it does not come.
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

/// Opens a sensor and a reference meter, in this order, to compare their readings. Both names have the form
/// of power_source(). Without `block_s`, timed blocks are so long that both meters have at least 10 readings
/// of each.
EnergyMeters open_compared_meters(const Subject& subject, const std::string& sensor,
                                  const std::string& reference, std::optional<double> block_s);

/// Returns the facts of a meter for reports.
nlohmann::json facts_json(const MeterFacts& facts);

}  // namespace kjoule
