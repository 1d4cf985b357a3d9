#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/files/file_lock.hpp"
#include "run/rows.hpp"
#include "run/run_rows.hpp"

namespace kjoule {

/// The folder of a run's results, and the number of iterations of the program that are timed.
struct RunOptions {
  std::string output_dir = "results";
  std::string resume;  ///< folder of a killed run that is resumed; empty: a new run
  int warmup = 10;     ///< untimed iterations before the timed ones
  int runs = 100;      ///< timed iterations
  /// Least duration of all timed iterations, s, if kjoule runs them itself: then more than `runs` are timed.
  double least_s = 0;
  std::optional<RequestedAgreement> requested;  ///< of a run with a verdict
  std::optional<double> items;                  ///< tokens or samples in one iteration, if the user stated it

  const std::string& folder() const { return resume.empty() ? output_dir : resume; }
  /// Returns the options of a run that belongs to this one, in a subfolder of that name. If this run is
  /// resumed but has no such subfolder with rows, the returned run is new.
  RunOptions within(const std::string& name) const;
  /// Returns how this run is continued after an error; empty if it has no rows.
  std::string way_on() const;
  /// Throws Error if the folder cannot contain new results. Call it before anything is measured.
  void refuse_folder() const;
  /// Moves older results aside, unless they are resumed, and returns a lock on the rows.
  FileLock claim() const;
  /// Opens the rows of the folder after claim().
  ResultRows open_rows() const;
};

/// Begins the rows of a run. New rows get `header`, with kjoule's version, as their first row; returns true.
/// For the rows of a killed run, returns false; throws Error if their header has another kind or version, or
/// differs in one of the keys `same`.
bool begin_rows(ResultRows& rows, nlohmann::json header, const std::vector<std::string>& same);

}  // namespace kjoule
