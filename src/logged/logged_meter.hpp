#pragma once
#include <optional>
#include <string>

#include "power/meter_lag.hpp"

namespace kjoule {

/// What is known of the meter whose readings are in a log that kjoule wrote. The timing files of the run
/// contain it (`power_meter`), because the log does not.
struct LoggedMeter {
  std::string source{}, name{};
  double averaging_seconds = 0, delay_seconds = 0;
  std::string averaging_from{};
  std::optional<double> accuracy{};  ///< as a share
  std::string accuracy_from{};
  MeterLag lag() const { return {averaging_seconds, delay_seconds, averaging_from}; }
};

template <class Fields>
void describe(Fields& fields, LoggedMeter& meter) {
  fields("source", meter.source);
  fields("name", meter.name);
  fields("averaging_seconds", meter.averaging_seconds);
  fields("averaging_from", meter.averaging_from);
  fields("delay_seconds", meter.delay_seconds);
  fields("accuracy", meter.accuracy);
  fields("accuracy_from", meter.accuracy_from);
}

/// Returns what is known of a meter that kjoule reads.
inline LoggedMeter logged_meter(const MeterFacts& facts) {
  const MeterLag lag = lag_of(facts);
  return {facts.source, facts.name,     lag.averaging_s,    lag.delay_s,
          lag.from,     facts.accuracy, facts.accuracy_from};
}

}  // namespace kjoule
