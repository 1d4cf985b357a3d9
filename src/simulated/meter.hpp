#pragma once
#include <memory>

#include "power/meters/meter.hpp"
#include "simulated/device.hpp"

namespace kjoule {

enum class SimulatedMeterKind {
  /// Joules since the device was made, in steps of 1 mJ. Moves every 100 ms, from a moment on that the seed
  /// decides. A poll begins about every 5 ms and takes 3 to 7 ms; its reading has the time of its end and the
  /// value
  /// of its begin, so that a move is seen 3 to 13 ms late.
  energy_counter,
  /// Mean power of each 20 ms, stamped at their end, seen up to 20 ms after it.
  power_samples
};

/// A meter of the device, whose readings depend on what the device has drawn and on its clock alone: what is
/// read at which time changes none. It returns readings up to the device's clock, while Steady work runs that
/// nobody has waited for up to that work's begin. Throws Error when the spec says that there is none.
std::unique_ptr<Meter> make_simulated_meter(SimulatedDevice& device, SimulatedMeterKind kind);

}  // namespace kjoule
