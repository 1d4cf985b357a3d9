#pragma once
#include <cstdint>
#include <limits>

namespace kjoule {

/// The numbers for Device::begin_round() of all steps of a run that are not rounds of an estimate (Round),
/// whose numbers begin at 0. From the number, a simulated device derives the random numbers of the step, so
/// that a resumed run repeats the same results.
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
