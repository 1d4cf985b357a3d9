#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "compare/iteration/comparison.hpp"
#include "compare/run/run_comparison.hpp"
#include "run/finished_run.hpp"

namespace kjoule {

/// One measured iteration of a results folder of compare or layers.
struct FinishedComparison {
  /// "phase_1" or "window_1" of a run that was measured in parts, "first rank" or "rank 1" of a program of
  /// several ranks;
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

/// Returns whether the folder has the recording and the rows of an iteration.
bool has_comparison(const std::filesystem::path& folder);
/// Reads the measured iterations of a results folder, and classifies their kernels by `rules`. Throws Error
/// if the folder has none, or if its times are incomplete.
FinishedComparisons read_finished_comparisons(const std::string& folder, KernelRules& rules);

/// Reads the measured phases and windows of a run, whose results are in these subfolders of its results
/// folder. Throws Error like read_finished_comparisons(), and if a subfolder has not the name of one of them.
std::vector<FinishedComparison> read_finished_parts(const std::string& folder,
                                                    const std::vector<MeasuredPhase>& parts,
                                                    KernelRules& rules);

/// If the iterations are those of ranks, adds what the ranks did together to the first comparison: all ranks,
/// their collectives and their own iterations.
void add_ranks(FinishedComparisons& finished);

}  // namespace kjoule
