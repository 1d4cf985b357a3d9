#pragma once
#include "compare/iteration/verdict.hpp"
#include "compare/run/run_comparison.hpp"

namespace kjoule {

/// Returns the exit code of --check for a verdict.
int check_exit_code(Verdict verdict);
/// Returns the exit code of --check for an iteration: that of the worst rank, if it has several.
int check_exit_code(const Comparison& comparison);
/// Returns the exit code of --check for a run whose phases were measured.
int check_exit_code(const RunComparison& run);

}  // namespace kjoule
