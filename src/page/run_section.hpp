#pragma once
#include "compare/run/stored_run.hpp"
#include "page/page_section.hpp"

namespace kjoule {

/// Returns the section on a run that was measured in phases or windows: how much of its GPU time each phase
/// has, what was not replayed and why, and the estimated times of all kernels of the run.
PageSection run_section(const StoredRun& run);

}  // namespace kjoule
