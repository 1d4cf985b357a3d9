#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace kjoule {

/// The times of a sample that are merged: those of its passes, with the gaps between launches, or those of
/// the same launches as one graph.
enum class SampleTimes { eager, graph };

/// The merged parts of a sweep.
struct MergedSamples {
  std::string csv;  ///< header, then the rows in the order of their shapes' numbers
  size_t rows = 0;
  size_t duplicates = 0;              ///< rows left out because their shape already had a row
  size_t without_graph = 0;           ///< rows left out because a direction has no graph time
  std::vector<size_t> missing_parts;  ///< numbers of the parts that were not given
  /// Parts with fewer samples than they state, each as "FILE: 3 of 12 samples".
  std::vector<std::string> unfinished;
};

/// Merges files {gpu}_{operator}_{precision}_{parts}_{part}.csv. If two rows have the same shape, the first
/// one is kept. Energies and graph times come from the JSONL next to each part. If there are energies,
/// columns "F_energy(J)" and "B_energy(J)", or "energy(J)", are added; they are empty for shapes without
/// energy. Throws Error with file and line for files of different sweeps, definitions or columns, for cells
/// that are no numbers, for times that are not above 0, and for files that are not parts.
MergedSamples merge_samples(const std::vector<std::filesystem::path>& parts,
                            SampleTimes times = SampleTimes::eager);

}  // namespace kjoule
