#pragma once
#include <memory>

#include "power/meters/meter.hpp"
#include "simulated/device.hpp"

namespace kjoule {

/// The kinds of simulated meters.
enum class SimulatedMeterKind {
  /// A counter of the energy since the device was created, in J, with steps of 1 mJ. It changes every 100 ms,
  /// with a phase that depends on the seed. A poll begins about every 5 ms and takes 3 to 7 ms. Its reading
  /// has the value at its begin and the time of its end, so a change is seen 3 to 13 ms late.
  energy_counter,
  /// The mean power over each 20 ms, with the time of their end. A reading is seen up to 20 ms later.
  power_samples
};

/// Returns a meter of the device. Its sensor samples the power at the rate of the spec, or integrates it.
/// Readings depend only on the consumed energy, the device's clock and the time at which the meter was
/// created; reading the meter changes nothing. The meter returns readings up to the device's clock, or up to
/// the begin of SteadyWork for which Track::wait() was not called yet. Throws Error if the spec has no meter.
std::unique_ptr<Meter> make_simulated_meter(SimulatedDevice& device, SimulatedMeterKind kind);

}  // namespace kjoule
