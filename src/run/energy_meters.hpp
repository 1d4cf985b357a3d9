#pragma once
#include <memory>
#include <string>
#include <vector>

#include "measure/energy_measurement.hpp"
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
  double time_limit_s = 0;  ///< 0: what is left of a minute since the program was paused, from 13 to 40 s

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

  /// Starts the thread that polls the meters, if they need one. Call it only when energy is measured:
  /// requests to the driver might delay launches while these are timed.
  void poll();
};

/// Opens the meters. Throws Error if the user named a source that is not available.
EnergyMeters open_energy_meters(const Subject& subject, const EnergyMeterOptions& options);

/// Returns the facts of a meter for reports.
nlohmann::json facts_json(const MeterFacts& facts);

}  // namespace kjoule
