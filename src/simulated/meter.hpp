#pragma once
#include <memory>

#include "power/meters/meter.hpp"
#include "simulated/device.hpp"

namespace kjoule {

/// The kinds of simulated meters.
enum class SimulatedMeterKind {
  /// A counter of the energy since the device was created, in J, with steps of 1 mJ. It changes every 100 ms,
  /// with a phase that depends on the seed. A poll begins about every 5 ms and takes 3 to 7 ms. The reading
  /// of a poll has the value at the poll's begin and the time of the poll's end, so that a change of the
  /// counter appears 3 to 13 ms late.
  energy_counter,
  /// The mean power over each 20 ms, with the time at which these 20 ms end. The meter returns a reading up
  /// to 20 ms after this time.
  power_samples
};

/// Returns a meter of the device. Its sensor samples the power at the rate of the spec, or integrates it.
/// Readings depend only on the consumed energy, the device's clock and the time at which the meter was
/// created; reading the meter changes nothing. The meter returns readings up to the device's clock, or up to
/// the begin of SteadyWork for which Track::wait() was not called yet. Throws Error if the spec has no meter.
std::unique_ptr<Meter> make_simulated_meter(SimulatedDevice& device, SimulatedMeterKind kind);

}  // namespace kjoule
