#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace kjoule {

/// The times of samples that are merged: of passes, which include launch gaps (eager), or of the same
/// launches repeated as a CUDA graph.
enum class SampleTimes { eager, graph };

/// The merged parts of a sweep.
struct MergedSamples {
  std::string csv;        ///< header and rows, which are sorted by the numbers of their shapes
  size_t rows = 0;        ///< number of rows in `csv`
  size_t duplicates = 0;  ///< rows left out because their shape already had a row
  size_t replaced = 0;    ///< rows whose shape was measured at least three times: the medians
  /// Shapes that were measured twice, with times that differ by more than 10 %, each as "1,64,64".
  std::vector<std::string> contradicted;
  size_t failed = 0;                  ///< shapes without a row, whose latest sample has the status error
  size_t impossible_energies = 0;     ///< energies left out because they are not above 0
  size_t without_graph = 0;           ///< rows left out because a direction has no graph time
  std::vector<size_t> missing_parts;  ///< numbers of the parts that were not given
  /// Parts with fewer samples than their JSONL states, each as "FILE: 3 of 12 samples".
  std::vector<std::string> unfinished;
};

/// Merges files {gpu}_{operator}_{precision}_{parts}_{part}.csv. If a JSONL contains at least three
/// measurements of a shape, each value is their median. Otherwise, the first row of a shape is kept. Energies
/// and graph times come from the JSONL next to each part. If there are energies, the columns "F_energy(J)"
/// and "B_energy(J)", or "energy(J)", are added; they are empty for shapes without energy,
/// or with one that is not above 0. Throws Error with
/// file and line if a file is not a part, if files differ in sweep, definition or columns, if a cell is not a
/// number, if a time is not above 0, if the last line has no end, or if the rows of a part differ from the
/// samples in its JSONL.
MergedSamples merge_samples(const std::vector<std::filesystem::path>& parts,
                            SampleTimes times = SampleTimes::eager);

}  // namespace kjoule
