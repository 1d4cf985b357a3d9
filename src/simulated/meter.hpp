#pragma once
#include <memory>

#include "power/meters/meter.hpp"
#include "simulated/device.hpp"

namespace kjoule {

/// The kinds of simulated meters.
enum class SimulatedMeterKind {
  /// Energy since the device was made, J, in steps of 1 mJ. It changes every 100 ms; the seed decides the
  /// phase. A poll begins about every 5 ms and takes 3 to 7 ms. Its reading has the time of its end and the
  /// value at its begin, so a change is seen 3 to 13 ms late.
  energy_counter,
  /// Mean power over each 20 ms, with the time of their end; seen up to 20 ms later.
  power_samples
};

/// Returns a meter of the device. Its sensor samples the power at the rate of the spec, or integrates it. Its
/// readings depend only on the drawn energy, on the device's clock and on when the meter was made;
/// reading it changes nothing. It returns readings up to the device's clock, or, while SteadyWork runs that
/// nobody has waited for, up to the begin of that work. Throws Error if the spec has no meter.
std::unique_ptr<Meter> make_simulated_meter(SimulatedDevice& device, SimulatedMeterKind kind);

}  // namespace kjoule
