#pragma once
#include "recording/phase_pattern.hpp"
#include "recording/run_log.hpp"
#include "recording/run_structure.hpp"
#include "recording/run_sums.hpp"

namespace kjoule {

/// Returns the pattern by which the launches `measured` of an observed run are found in another start of the
/// program. `loop` is the loop of which they are an iteration; null for a single pass. A launch whose grid
/// differs between the loop's iterations is found by its name.
PhasePattern make_pattern(uint32_t number, LaunchRange measured, const RunPart* loop, const RunLog& log,
                          const RunSums& sums);

}  // namespace kjoule
