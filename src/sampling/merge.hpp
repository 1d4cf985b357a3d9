#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace kjoule {

/// Which of a sample's times: of the passes, gaps between their launches included, or of the same launches
/// as one graph.
enum class SampleTimes { eager, graph };

/// The parts of a sweep, joined.
struct MergedSamples {
  std::string csv;  ///< header, then rows sorted by their shapes' numbers
  size_t rows = 0;
  size_t duplicates = 0;              ///< rows left out because their shape had one
  size_t without_graph = 0;           ///< rows left out because a direction has no time as a graph
  std::vector<size_t> missing_parts;  ///< their numbers
  /// "FILE: 3 of 12 samples", of parts that tell how many they should have.
  std::vector<std::string> unfinished;
};

/// Joins files {gpu}_{operator}_{precision}_{parts}_{part}.csv. Of two rows of one shape the first given one
/// stays. Where the JSONL beside a part has energies, columns "F_energy(J)" and "B_energy(J)" or "energy(J)"
/// follow, empty where a shape has none; the times as a graph stand there, too. Throws Error naming file and
/// line for files of different sweeps, definitions or columns, cells that are no numbers, times that are not
/// above 0, and files that are no parts.
MergedSamples merge_samples(const std::vector<std::filesystem::path>& parts,
                            SampleTimes times = SampleTimes::eager);

}  // namespace kjoule
