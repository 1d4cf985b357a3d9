#pragma once
#include <string>

#include "measure/energy/energy_measurement.hpp"
#include "measure/time/rounds.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// Returns the expected time for which a program is paused after its recorded iteration, s; for several
/// ranks, until all are measured. `energy` is null if no energy is measured.
double expected_pause_s(const Recording& recording, const RoundOptions& rounds, const EnergyOptions* energy);
/// Returns the expected time for the timed blocks, s: of the whole, of `alone` kernels, and of the other
/// kernels of two tiers. `each_s` is the duration of a block with the repeats before it.
double expected_blocks_s(double each_s, int alone);
/// Returns the line that announces a pause of about `seconds`.
std::string pause_notice(double seconds);
/// Returns a warning if PyTorch's watchdog may end a rank during a pause of `seconds`; empty if not.
std::string watchdog_warning(double seconds);

}  // namespace kjoule
