#pragma once
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/files/file_lock.hpp"
#include "run/rows.hpp"
#include "run/run_rows.hpp"

namespace kjoule {

/// Returns whether the path is that of a file that kjoule writes into its results folders, and its folder is
/// one of them. The file itself may be missing. Reports of kjoule energy do not count, because this command
/// also writes them into the folders of other commands.
bool is_results_file(const std::filesystem::path& file);

/// The folder of a run's results, and the number of the program's iterations that are timed.
struct RunOptions {
  std::string output_dir = "results";
  std::string resume;  ///< folder of an interrupted run that is resumed; empty for a new run
  int warmup = 10;     ///< number of untimed iterations before the timed ones
  int runs = 100;      ///< number of timed iterations
  /// Shortest total duration of the timed iterations, s, if kjoule runs the iterations itself. If `runs`
  /// iterations take less time, more iterations are timed.
  double least_s = 0;
  /// Longest total duration of the untimed and timed iterations, s, if kjoule runs them itself. Fewer than
  /// `warmup` and `runs` are run if they would take longer, but at least one timed iteration.
  double most_s = std::numeric_limits<double>::infinity();
  /// Duration of the repeats before the program's own iterations that are not timed, s, in addition to the
  /// warm-up: a power meter needs this time until its readings are those of the iterations.
  double settle_s = 0;
  std::optional<RequestedAgreement> requested;  ///< only set for a run with a verdict
  std::optional<double> items;                  ///< tokens or samples in one iteration, if the user stated it

  const std::string& folder() const { return resume.empty() ? output_dir : resume; }
  /// Returns the options of a run that belongs to this run and has the subfolder `name`. If this run is
  /// resumed and the subfolder has no rows, the returned options are those of a new run.
  RunOptions within(const std::string& name) const;
  /// Returns a remedy for errors that states how the user resumes this run; empty if the run has no rows yet.
  std::string way_on() const;
  /// Throws Error if no results can be written to the folder. Call this function before anything is measured.
  void refuse_folder() const;
  /// Returns a lock on the rows of the folder. If the folder contains older results that are not to be
  /// resumed, it is renamed first.
  FileLock claim() const;
  /// Opens the rows of the folder after claim().
  ResultRows open_rows() const;
};

/// Begins the rows of a run. If `rows` is empty, appends `header`, with kjoule's version added, as the first
/// row, and returns true. Otherwise compares `header` with the existing first row and returns false. Throws
/// Error if the two differ in kind or version, or in one of the keys `same`.
bool begin_rows(ResultRows& rows, nlohmann::json header, const std::vector<std::string>& same);

}  // namespace kjoule
