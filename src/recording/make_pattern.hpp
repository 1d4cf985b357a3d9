#pragma once
#include "recording/phase_pattern.hpp"
#include "recording/run_log.hpp"
#include "recording/run_structure.hpp"
#include "recording/run_sums.hpp"

namespace kjoule {

/// Returns the hashes by which these launches of an observed run are found again in another start.
std::vector<ExpectedLaunch> expected_launches(LaunchRange range, const RunLog& log, const RunSums& sums);

/// Returns the pattern by which an iteration of `loop` is found in another start of the program. `measured`
/// are the launches of this iteration in the observed run. A launch whose grid differs between the loop's
/// iterations is matched by its name.
PhasePattern pattern_of_iteration(uint32_t number, LaunchRange measured, const RunPart& loop,
                                  const RunLog& log, const RunSums& sums);

/// Returns the pattern by which a single pass is found in another start of the program. The launches before
/// and after it, 64 launches or 1 ms of GPU time each, are its lead and tail. A pass that begins with the
/// run's first launch has neither.
PhasePattern pattern_of_pass(uint32_t number, LaunchRange measured, const RunLog& log, const RunSums& sums);

}  // namespace kjoule
