#pragma once
#include "recording/phase_pattern.hpp"
#include "recording/run_log.hpp"
#include "recording/run_structure.hpp"
#include "recording/run_sums.hpp"

namespace kjoule {

/// Returns the hashes by which these launches of an observed run are found in another start of the program.
std::vector<ExpectedLaunch> expected_launches(LaunchRange range, const RunLog& log, const RunSums& sums);

/// Returns the pattern by which an iteration of `loop` is found in another start of the program. `number` is
/// PhasePattern::number, and `measured` are the launches of the iteration in the observed run. A launch whose
/// grid differs between the loop's iterations is matched by its name alone.
PhasePattern pattern_of_iteration(uint32_t number, LaunchRange measured, const RunPart& loop,
                                  const RunLog& log, const RunSums& sums);

/// Returns the pattern by which a single pass is found in another start of the program. The pattern includes
/// a lead of launches before the pass and a tail of launches after it. Each has at least 64 launches or 1 ms
/// of GPU time, unless the run begins or ends first. A pass that begins with the run's first launch has
/// neither lead nor tail.
PhasePattern pattern_of_pass(uint32_t number, LaunchRange measured, const RunLog& log, const RunSums& sums);

}  // namespace kjoule
