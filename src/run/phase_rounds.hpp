#pragma once
#include <cstdint>
#include <limits>

namespace kjoule {

/// Numbers of the steps of a run for Device::begin_round(). With them, a simulated device repeats each step
/// with the same random numbers. The rounds of an estimate (Round) have the numbers from 0.
enum PhaseRound : int {
  kProgramRound = -1,        ///< the program's own iterations
  kPlanRound = -2,           ///< the plan of the rounds
  kControlRound = -3,        ///< the controls after the rounds
  kFirstIsolatedRound = -4,  ///< kernels in isolation, downwards from here
  kEnergyRound = std::numeric_limits<int>::min(),
  kMeterBlocksRound,       ///< kernels repeated for a power meter
  kMeterDifferencesRound,  ///< iterations with and without kernels, repeated for a power meter
};

/// Returns the number of the step in which a kernel is timed in isolation.
inline int isolated_round(uint32_t kernel) {
  return kFirstIsolatedRound - static_cast<int>(kernel);
}

}  // namespace kjoule
