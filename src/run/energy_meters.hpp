#pragma once
#include <memory>
#include <string>
#include <vector>

#include "measure/energy_rounds.hpp"
#include "power/meters/meter.hpp"
#include "run/subject.hpp"

namespace kjoule {

/// Which meters measure energy, and for how long.
struct EnergyMeterOptions {
  bool off = false;
  std::string source;        ///< as `kjoule power devices` names it; empty for the device's own counter
  std::string log;           ///< CSV that another program is writing
  std::string exported_log;  ///< the one that POWER_LOG_PATH names, which the others override
  double interval_s = 0.04;  ///< for sources that are told how often
  std::string precision = "1.5%";
  double time_limit_s = 0;  ///< 0: what is left of a minute since the program was held

  /// The meter that the user named, as power_source() takes it; empty where none was.
  std::string asked_source() const;
  /// Then there must be one.
  bool asked() const { return !asked_source().empty(); }
};

/// The meters of the device that a subject runs on, the one that counts first; those that stand beside it
/// behind.
struct EnergyMeters {
  std::vector<std::unique_ptr<Meter>> meters;
  std::string lack;       ///< why there are none
  bool real_time = true;  ///< their readings go by whether anybody asks: they need a thread that does

  /// Has a thread ask from now on, where one is needed. Not before energy is measured: asking the driver for
  /// power while launches are timed might hold them up.
  void poll();
};

/// Opens them. Throws Error when the user named one that is not there.
EnergyMeters open_energy_meters(const Subject& subject, const EnergyMeterOptions& options);

/// What reports say of a meter.
nlohmann::json facts_json(const MeterFacts& facts);

}  // namespace kjoule
