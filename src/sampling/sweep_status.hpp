#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kjoule {

/// What one node (machine) or one GPU contributed to a sweep.
struct PlaceStatus {
  size_t measured = 0;  ///< number of samples with times
  size_t failed = 0;    ///< number of samples with the status error
  /// Of a node, the sum of the speeds of all parts whose last run was on this node, in samples per second;
  /// nothing if the logs of these parts state no speed. Of a GPU, the number of its rows in the last run of
  /// each part divided by the time for these rows; nothing if it has none.
  std::optional<double> samples_per_s;
  /// Median of the ratios of a sample's time to the geometric mean of the times of its two neighbours (the
  /// next smaller and the next larger size). Nothing if no sample has two neighbours with times.
  std::optional<double> against_neighbours;
  /// Number of samples that took more than twice the longer time of their neighbours, or less than half the
  /// shorter one.
  size_t outliers = 0;
};

/// The progress of one sweep.
struct SweepStatus {
  std::string sweep;  ///< "{gpu}_{operator}_{precision}"
  size_t parts = 1;   ///< number of parts
  /// Number of samples of the sweep, or of the budget of its last run; if no part states it, that of the
  /// parts that have begun.
  size_t samples = 0;
  size_t done = 0;                ///< number of samples with a row whose status is not error
  size_t failed = 0;              ///< number of samples whose latest row has the status error
  std::vector<size_t> not_begun;  ///< numbers of the parts without files
  /// Time until the slowest part is complete, s, if all parts run at their latest speed; nothing if a part
  /// has no known speed.
  std::optional<double> remaining_s;
  std::map<std::string, PlaceStatus> nodes;  ///< by name; "unknown" for rows of older versions of kjoule
  std::map<std::string, PlaceStatus> gpus;   ///< by UUID; empty if no row names a GPU

  /// Files without a complete line do not state how many samples the sweep has.
  bool is_complete() const { return samples > 0 && done == samples && not_begun.empty(); }
};

/// Returns the progress of each sweep that has files in the subfolder sampling_data of `folder`, by name.
/// Throws Error if there are none, or if a line of a file is damaged. A last line that is being written is
/// ignored.
std::vector<SweepStatus> read_sweep_status(const std::filesystem::path& folder);

}  // namespace kjoule
