#pragma once
#include <cstdint>
#include <limits>

namespace kjoule {

/// Numbers by which the phases of a run are announced to its device (Device::begin_round()), so that each
/// phase of a run on a simulated device can be repeated. The rounds of an estimate (Round) have the numbers
/// from 0.
enum PhaseRound : int {
  kProgramRound = -1,        ///< the program's own iterations
  kPlanRound = -2,           ///< the plan of the rounds
  kControlRound = -3,        ///< the controls after the rounds
  kFirstIsolatedRound = -4,  ///< kernels in isolation, downwards from here
  kEnergyRound = std::numeric_limits<int>::min(),
  kMeterBlocksRound,       ///< kernels repeated for a power meter
  kMeterDifferencesRound,  ///< iterations with and without kernels, repeated for a power meter
};

/// Returns the number of the round in which a kernel is timed in isolation.
inline int isolated_round(uint32_t kernel) {
  return kFirstIsolatedRound - static_cast<int>(kernel);
}

}  // namespace kjoule
