#pragma once
#include <cstdint>
#include <vector>

#include "power/meters/meter.hpp"

namespace kjoule {

/// The mean power between two moments on the steady clock.
struct PowerReading {
  int64_t begin_ns = 0, end_ns = 0;
  double watts = 0;
};

/// Returns the mean powers that follow from all values of a meter, sorted by time. Those of an energy
/// counter are the means
/// between its ticks (CounterTicks).
std::vector<PowerReading> power_readings(const MeterFacts& facts, const std::vector<MeterValue>& values);

}  // namespace kjoule
