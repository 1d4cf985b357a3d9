#pragma once
#include <string>
#include <vector>

#include "compare/iteration/comparison.hpp"
#include "run/finished_run.hpp"

namespace kjoule {

/// One measured iteration of a results folder of compare or layers.
struct FinishedComparison {
  /// "phase_1" of a run whose phases were measured, "first rank" or "rank 1" of a program of several ranks;
  /// otherwise empty.
  std::string name;
  FinishedRun run;
  Comparison comparison;
};

/// The measured iterations of a results folder: one, or one for each measured phase or rank.
struct FinishedComparisons {
  std::vector<FinishedComparison> iterations;  ///< not empty
  bool are_of_ranks = false;                   ///< whether the iterations are those of ranks
};

/// Reads the measured iterations of a results folder, and classifies their kernels by `rules`. Throws Error
/// if the folder has none, or if its times are incomplete.
FinishedComparisons read_finished_comparisons(const std::string& folder, KernelRules& rules);

/// If the iterations are those of ranks, adds what the ranks did together to the first comparison: all ranks,
/// their collectives and their own iterations.
void add_ranks(FinishedComparisons& finished);

}  // namespace kjoule
