#pragma once
#include "recording/phase_pattern.hpp"
#include "recording/run_log.hpp"
#include "recording/run_structure.hpp"
#include "recording/run_sums.hpp"

namespace kjoule {

/// Returns what the launches of an observed run are recognised by.
std::vector<ExpectedLaunch> expected_launches(LaunchRange range, const RunLog& log, const RunSums& sums);

/// Returns the pattern by which the launches `measured` of an observed run, an iteration of `loop`, are found
/// in another start of the program. A launch whose grid differs between the loop's iterations is found by its
/// name.
PhasePattern pattern_of_iteration(uint32_t number, LaunchRange measured, const RunPart& loop,
                                  const RunLog& log, const RunSums& sums);

/// The same of a single pass, with up to 64 launches or 1 ms of GPU time before and after it as lead and
/// tail. A pass that begins with the run's first launch has neither.
PhasePattern pattern_of_pass(uint32_t number, LaunchRange measured, const RunLog& log, const RunSums& sums);

}  // namespace kjoule
