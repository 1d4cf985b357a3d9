#pragma once
#include <string>
#include <vector>

#include "base/file_lock.hpp"
#include "run/rows.hpp"

namespace kjoule {

/// The folder of a run's results, and how many iterations of the program are timed for them.
struct RunOptions {
  std::string output_dir = "results";
  std::string resume;  ///< folder of a killed run
  int warmup = 10;     ///< iterations before the timed ones
  int runs = 100;      ///< timed iterations

  const std::string& folder() const { return resume.empty() ? output_dir : resume; }
  /// Returns the options of a run that belongs to this one, in a subfolder of that name. A killed run that
  /// did not get that far has none to resume.
  RunOptions within(const std::string& name) const;
  /// Throws Error for a folder that cannot take the results. Call it before anything is measured.
  void refuse_folder() const;
  /// Moves older results aside, unless they are resumed, and locks the rows.
  FileLock claim() const;
  /// Opens the rows of a claimed folder.
  ResultRows open_rows() const;
};

/// Puts `header`, with this kjoule's version, first among rows that are new, and returns true. Throws Error
/// when those of a killed run began with another kind, or differ in one of the keys `same`.
bool begin_rows(ResultRows& rows, nlohmann::json header, const std::vector<std::string>& same);

}  // namespace kjoule
