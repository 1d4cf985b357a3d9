#pragma once
#include <string>

#include "measure/energy/energy_measurement.hpp"
#include "measure/time/rounds.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// Returns the line for a program that has been paused after its recorded iteration: about how long it stays
/// so. `energy` is null if none is measured.
std::string pause_notice(const Recording& recording, const RoundOptions& rounds, const EnergyOptions* energy);

}  // namespace kjoule
