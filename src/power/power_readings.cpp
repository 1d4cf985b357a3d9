#include "power/power_readings.hpp"

#include <cmath>

#include "power/counter_ticks.hpp"

namespace kjoule {

std::vector<PowerReading> power_readings(const MeterFacts& facts, const std::vector<MeterValue>& values) {
  if (facts.quantity == Quantity::energy_j) {
    CounterTicks ticks(facts.tick_s);
    for (const MeterValue& value : values) ticks.add(value);
    return ticks.readings();
  }
  const auto averaging_ns = std::llround(facts.averaging_s * 1e9);
  std::vector<PowerReading> readings;
  for (const MeterValue& value : values)
    readings.push_back({value.steady_ns - averaging_ns, value.steady_ns, value.value});
  return readings;
}

}  // namespace kjoule
