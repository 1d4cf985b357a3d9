#pragma once
#include "sampling/sweep_part.hpp"

namespace kjoule {

/// Number of samples that one process times before their kernels are replayed. The number is large because
/// starting the process takes seconds.
inline constexpr size_t kTimedBeforeReplay = 512;

/// Measures every shape of the part that has no row, or only a row with the status error. If energy is
/// requested, it also measures the energy of shapes that have only times; these times are kept. Every row is
/// written as soon as it is complete. If the kernels are replayed, a row with the times alone is written
/// before their replay. Throws the errors of SampleFiles, and Error if kjoule-torch cannot run, or cannot run
/// the warm-up shape.
SweepOutcome sample_sweep(const SamplingConfiguration& configuration, const SamplingOptions& options);

}  // namespace kjoule
