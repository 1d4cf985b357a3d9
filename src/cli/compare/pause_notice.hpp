#pragma once
#include <string>

#include "measure/energy/energy_measurement.hpp"
#include "measure/time/rounds.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// Returns about how long a program stays paused after its recorded iteration, s: all ranks, if it has
/// several. `energy` is null if none is measured.
double expected_pause_s(const Recording& recording, const RoundOptions& rounds, const EnergyOptions* energy);
/// Returns the line about a pause of so many seconds.
std::string pause_notice(double seconds);
/// Returns a warning if PyTorch's watchdog may end a rank within so many seconds; empty if not.
std::string watchdog_warning(double seconds);

}  // namespace kjoule
